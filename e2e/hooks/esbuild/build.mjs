import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { build } from "esbuild";

const app = fileURLToPath(new URL("../app", import.meta.url));
await build({
  entryPoints: [`${app}/src/main.ts`],
  bundle: true,
  minify: true,
  sourcemap: true,
  platform: "node",
  format: "esm",
  packages: "external",
  tsconfig: `${app}/tsconfig.json`,
  outfile: `${dirname(app)}/esbuild/dist/main.js`,
  plugins: [cairn.esbuild({ root: app })],
});
