// A control plane in a process of its own, which tests kill. Says its port.
import { openControlPlane } from "@cairnjs/control-plane";

const plane = await openControlPlane({ listen: { grpc: "127.0.0.1:0" }, onWarning: () => {} });
process.on("SIGTERM", () => void plane.close().then(() => process.exit(0)));
console.log(plane.port);
