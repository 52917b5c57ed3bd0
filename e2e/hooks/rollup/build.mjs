import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { moduleResolver, stripTypes } from "cairnjs/transform";
import { rollup } from "rollup";

const app = fileURLToPath(new URL("../app", import.meta.url));
const resolveModule = moduleResolver();

/** TypeScript for Rollup, as one of its many plugins does it. */
const typescript = {
  name: "typescript",
  resolveId: (specifier, importer) => (importer === undefined ? null : resolveModule(specifier, importer)),
  transform(code, id) {
    if (!id.endsWith(".ts")) return null;
    const plain = stripTypes(id, code, null);
    return { code: plain.code, map: JSON.parse(plain.map) };
  },
};

const bundle = await rollup({
  input: `${app}/src/main.ts`,
  external: /^cairnjs/,
  plugins: [cairn.rollup({ root: app }), typescript],
});
await bundle.write({ file: `${dirname(app)}/rollup/dist/main.js`, format: "es", sourcemap: true });
