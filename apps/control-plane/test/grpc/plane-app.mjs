// A control plane in a process of its own, which tests kill. Says its port: a free one, or that of one that was killed.
import { openControlPlane } from "@cairnjs/control-plane";

const { CAIRN_TEST_PORT: port, CAIRN_TEST_HEARTBEAT_MS: heartbeatMs } = process.env;
const plane = await openControlPlane({
  listen: { grpc: `127.0.0.1:${port}` },
  workerHeartbeatMs: Number(heartbeatMs),
  onWarning: () => {},
});
process.on("SIGTERM", () => void plane.close().then(() => process.exit(0)));
console.log(plane.port);
