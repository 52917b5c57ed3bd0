// Compile time as a multiple of the parser's own.
import { readFileSync, readdirSync } from "node:fs";
import { compile } from "@cairnjs/compiler";
import { parseSync } from "oxc-parser";
import { median } from "./workflow.mjs";

export async function compileTime() {
  const folder = new URL("../examples/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const sources = new Map(files.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
  const hooks = { resolve: () => null, read: (id) => sources.get(id) };
  const parse = median(() => {
    for (const [name, text] of sources) if (parseSync(name, text).program.body.length === 0) throw new Error(name);
  });
  const own = median(() => {
    for (const name of files)
      if (compile(name, hooks).diagnostics.some(({ severity }) => severity === "error")) throw new Error(name);
  });
  const ratio = own / parse;
  return [{ label: `${files.length} examples`, value: `${ratio.toFixed(1)} × the parser`, aim: "5 ×", ok: ratio <= 5 }];
}
