import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { build } from "rolldown";

const app = fileURLToPath(new URL("../app", import.meta.url));
await build({
  input: `${app}/src/main.ts`,
  platform: "node",
  external: /^cairnjs/,
  tsconfig: `${app}/tsconfig.json`,
  plugins: [cairn.rolldown({ root: app })],
  output: { file: `${dirname(app)}/rolldown/dist/main.js`, format: "esm", minify: true, sourcemap: true },
});
