// A control plane on a Postgres of its own, which says what it takes when it is asked.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openControlPlane } from "@cairnjs/control-plane";

const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"));
const plane = await openControlPlane({ folder, listen: { grpc: "127.0.0.1:0" }, security: false });

process.on("message", async (asked) => {
  if (asked === "close") {
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  }
  globalThis.gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send({ heapUsed: heapUsed + external, rss, cpuMs: (user + system) / 1_000 });
});
process.send({ port: plane.port });
