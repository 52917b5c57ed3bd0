// Compile time as a multiple of the parser's own.
import { readFileSync, readdirSync } from "node:fs";
import { compile } from "@cairnjs/compiler";
import { parseSync } from "oxc-parser";
import { median } from "./workflow.mjs";

const WARM_UP_MS = 2_000;

export async function compileTime() {
  const folder = new URL("../examples/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const sources = new Map(files.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
  const hooks = { resolve: () => null, read: (id) => sources.get(id) };
  const parse = () => {
    for (const [name, text] of sources) if (parseSync(name, text).program.body.length === 0) throw new Error(name);
  };
  const own = () => {
    for (const name of files)
      if (compile(name, hooks).diagnostics.some(({ severity }) => severity === "error")) throw new Error(name);
  };
  const parsed = once(parse);
  const first = once(own) / parsed;
  // Compilers run long in watch mode and tests; V8 needs a while until its own compiler has done its work.
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until;) own();
  const ratio = median(own) / median(parse);
  return [
    { label: `${files.length} examples`, value: `${ratio.toFixed(1)} × the parser`, aim: "5 ×", ok: ratio <= 5 },
    { label: "the same, as the first compile of a process", value: `${first.toFixed(1)} × the parser` },
  ];
}

function once(task) {
  const before = performance.now();
  task();
  return performance.now() - before;
}
