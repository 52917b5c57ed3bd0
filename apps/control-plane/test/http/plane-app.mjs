// A control plane with REST in a process of its own, of which a test wants to know how much memory it takes. Says its port.
import { openControlPlane } from "@cairnjs/control-plane";

const plane = await openControlPlane({
  listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" },
  security: false,
  onWarning: (message, error) => process.send({ warning: `${message}: ${error}` }),
});
process.on("message", () => {
  globalThis.gc();
  const { rss } = process.memoryUsage();
  process.send({ rss });
});
process.send({ port: plane.httpPort });
