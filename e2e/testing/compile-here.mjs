import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "@cairnjs/compiler";
import { definitionOf } from "cairnjs";

/** Gives the workflows of a module what the compiler makes of them. */
export function compileHere(url, ...workflows) {
  const path = fileURLToPath(url);
  const compiled = compile(path, { resolve: () => null, read: (file) => readFileSync(file, "utf8") }).workflows;
  for (const definition of workflows.map(definitionOf)) {
    const { program, hash, version } = compiled.find(({ name }) => name === definition.name);
    const value = { program, hash, version, inputSchema: null, input: "required", steps: new Map(), module: path };
    Object.defineProperty(definition, "compiled", { value });
  }
}
