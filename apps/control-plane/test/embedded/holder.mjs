// A process that works in a folder, as it is built: says what became of that, and stops when it is told "stop". It ends
// without stopping anything when its input does, so that none is left when a test is.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { startEmbeddedPostgres } from "../../dist/embedded/embedded-postgres.js";

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const input = createInterface({ input: process.stdin });
input.once("close", () => process.exit(0));
try {
  const server = await startEmbeddedPostgres({ folder: process.argv[2] });
  say({ url: server.url, pid: server.pid, adopted: server.adopted });
  await once(input, "line");
  await server.stop();
  say({ stopped: true });
} catch ({ name, code, message, pid }) {
  say({ error: { name, code, message, pid } });
}
process.exit(0);
