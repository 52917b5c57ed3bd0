import { fileURLToPath } from "node:url";
import { compileFile } from "./attach-compiled.ts";

const HELPER = fileURLToPath(new URL("attach-compiled.ts", import.meta.url));

/** A plugin of Vite that compiles the workflows of some modules. Only appends: places in the source stay. */
export function compilePlugin(isOurs: (path: string) => boolean): {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): string | null;
} {
  return {
    name: "compile-workflows",
    enforce: "pre",
    transform(code, id) {
      if (!isOurs(id) || !code.includes("workflow(")) return null;
      const places = compileFile(id)
        .workflows.flatMap(({ program }) => program.steps)
        .filter(({ file }) => file === id);
      const arrows = places.map(
        ({ start, end, captures }) =>
          `"${start}:${end}": ({ ${captures.join(", ")} }) => (${code.slice(start, end)})()`,
      );
      return `${code}
import { attachCompiled as $attachCompiled } from ${JSON.stringify(HELPER)};
$attachCompiled(${JSON.stringify(id)}, { ${arrows.join(", ")} });
`;
    },
  };
}
