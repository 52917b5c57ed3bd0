// Compiles prelude/*.ts to src/prelude/prelude-N.ts with the project's own compiler (built before). N is the semantics
// number: those of earlier numbers stay as they are.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { compilePrelude } from "../../compiler/dist/index.js";

const folder = new URL("../prelude/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts") && !name.endsWith(".test.ts"))
  .sort()
  .map((name) => ({ name, source: readFileSync(new URL(name, folder), "utf8") }));
const prelude = compilePrelude(files);
const text = JSON.stringify(prelude);
const target = new URL(`../src/prelude/prelude-${prelude.semantics}.ts`, import.meta.url);
const made = `/** Made by scripts/build-prelude.mjs from prelude/*.ts. */\nexport const preludeText =\n  ${JSON.stringify(text)};\n`;
const before = existsSync(target) ? readFileSync(target, "utf8") : "";
if (made !== before) writeFileSync(target, made);
