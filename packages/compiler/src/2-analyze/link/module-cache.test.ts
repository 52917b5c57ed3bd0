import { expect, it } from "vitest";
import { compile } from "../../compile.ts";
import { ModuleCache } from "./module-cache.ts";

const shared = `import { action } from "cairnjs";
export const load = action("load", async (id: number) => id);
export function twice(values: number[]) { let n = 0; values.forEach((v) => { n += v; }); return () => n * 2; }
`;

function entry(name: string): string {
  return `import { workflow } from "cairnjs";
import { load, twice } from "./shared.ts";
export default workflow("${name}", async () => twice([await load(1)])());
`;
}

it("compilations that share modules give the same programs as those that do not", () => {
  const files = new Map([
    ["shared.ts", shared],
    ["a.ts", entry("a")],
    ["b.ts", entry("b")],
  ]);
  const hooks = {
    resolve: (specifier: string) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id: string) => files.get(id) ?? "",
  };
  const cache = new ModuleCache();
  for (const id of ["a.ts", "b.ts", "a.ts"]) expect(compile(id, hooks, cache)).toEqual(compile(id, hooks));
  files.set("shared.ts", shared.replace("n * 2", "n * process.pid"));
  expect(compile("a.ts", hooks, cache).diagnostics).toMatchObject([{ code: "CAIRN2005", file: "shared.ts" }]);
});

it("reads a module once while its text stays, and drops those used longest ago", () => {
  const cache = new ModuleCache();
  const first = cache.read("first.ts", "export const a = 1;");
  expect(cache.read("first.ts", "export const a = 1;")).toBe(first);
  expect(cache.read("first.ts", "export const a = 2;")).not.toBe(first);
  const second = cache.read("second.ts", "export const b = 1;");
  cache.read("first.ts", "export const a = 2;");
  const long = `export const c = 1;${" ".repeat(3_999_960)}`;
  cache.read("long.ts", long);
  expect(cache.read("second.ts", "export const b = 1;")).not.toBe(second);
});
