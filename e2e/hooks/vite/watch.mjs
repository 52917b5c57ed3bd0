// A development server; a module of helpers changes under it. Prints the reports from before and after.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { createServer } from "vite";

const hooks = fileURLToPath(new URL("..", import.meta.url));
// Beside the original, so that relative paths in its tsconfig.json stay right.
const app = join(hooks, "dist");
rmSync(app, { recursive: true, force: true });
cpSync(join(hooks, "app"), app, { recursive: true });

/** Tells when the server has taken notice of a change. */
const { promise: updated, resolve: tell } = withResolvers();
const notice = { name: "notice", enforce: "post", hotUpdate: () => tell() };

const server = await createServer({
  root: app,
  configFile: false,
  logLevel: "error",
  appType: "custom",
  server: { middlewareMode: true, ws: false },
  plugins: [cairn.vite({ root: app }), notice],
  resolve: { tsconfigPaths: true },
  ssr: { external: ["cairnjs"] },
});
const report = async () => (await server.ssrLoadModule("/src/report.ts")).report(["pen"]);
const before = await report();
const helper = join(app, "src/lib/notify.ts");
writeFileSync(helper, readFileSync(helper, "utf8").replace('join(", ")', 'join(" + ")').replace('"notify"', '"tell"'));
await updated;
console.log(JSON.stringify([before, await report()]));
await server.close();

function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
