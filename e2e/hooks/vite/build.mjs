import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { build } from "vite";

const app = fileURLToPath(new URL("../app", import.meta.url));
await build({
  root: app,
  logLevel: "warn",
  configFile: false,
  plugins: [cairn.vite({ root: app })],
  resolve: { tsconfigPaths: true },
  build: { ssr: "src/main.ts", outDir: "../vite/dist", emptyOutDir: true, minify: true, sourcemap: true },
});
