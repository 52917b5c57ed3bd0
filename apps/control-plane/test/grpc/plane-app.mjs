// A control plane in a process of its own, which tests kill. Says its port: a free one, or that of one that was killed.
import { openControlPlane } from "@cairnjs/control-plane";

const { CAIRN_TEST_PORT: port, CAIRN_TEST_HEARTBEAT_MS: heartbeatMs, CAIRN_TEST_LEASE_MS: leaseMs } = process.env;
const plane = await openControlPlane({
  listen: { grpc: `127.0.0.1:${port}` },
  security: false,
  workerHeartbeatMs: Number(heartbeatMs),
  leaseMs: Number(leaseMs),
  heartbeatMs: Math.min(10_000, Math.floor(Number(leaseMs) / 3)),
  onWarning: () => {},
});
process.on("SIGTERM", () => void plane.close().then(() => process.exit(0)));
console.log(plane.port);
