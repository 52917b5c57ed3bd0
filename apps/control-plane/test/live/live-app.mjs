// A control plane in a process of its own, which tests kill, and whose memory they look at. Says its ports.
import { setTimeout as delay } from "node:timers/promises";
import { openControlPlane } from "@cairnjs/control-plane";

const plane = await openControlPlane({
  listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" },
  // In this thread: what is garbage in others cannot be collected on demand.
  runloops: 0,
  security: false,
  leaseMs: 3_000,
  heartbeatMs: 1_000,
  onWarning: () => {},
});
process.on("message", async () => {
  const sizes = [];
  for (let look = 0; look < 3; look++) {
    globalThis.gc?.();
    await delay(200);
    sizes.push(process.memoryUsage().rss);
  }
  process.send({ rss: Math.min(...sizes) });
});
process.send({ grpc: plane.port, http: plane.httpPort });
