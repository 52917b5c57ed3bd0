import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ProjectFiles } from "./project-files.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function project(files: Readonly<Record<string, string>>): (path: string) => string {
  const root = mkdtempSync(join(tmpdir(), "cairn-files-"));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return (path) => join(root, path);
}

describe("ProjectFiles", () => {
  it("knows modules that get cairnjs through others, whatever stands between `from` and the name", () => {
    const at = project({
      "tsconfig.json": `{ "compilerOptions": { "paths": { "@own/*": ["./own/*"] } } }`,
      "own/cairn.ts": `export { workflow as flow } from "cairnjs";`,
      "own/index.ts": `export * from /* through */ "./cairn.js";`,
      "plain.ts": `export const x = 1;`,
    });
    const files = new ProjectFiles(at("."));
    expect(files.mayConcern(at("a.ts"), `import { flow }\nfrom // here\n "@own/index";`)).toBe(true);
    expect(
      files.mayConcern(
        at("a.ts"),
        `import { x } from "./plain"; import ts from "typescript"; import ir from "@cairnjs/ir";`,
      ),
    ).toBe(false);
    expect(files.mayConcern(at("a.ts"), `const from = "./own/index.ts";`)).toBe(false);
  });

  it("follows circles to their end, and looks again at what has changed", () => {
    const at = project({
      "a.ts": `export * from "./b";`,
      "b.ts": `export * from "./a"; export * from "./c";`,
      "c.ts": "",
    });
    const files = new ProjectFiles(at("."));
    const asks = (): boolean => files.mayConcern(at("main.ts"), `import { w } from "./a";`);
    expect(asks()).toBe(false);
    writeFileSync(at("c.ts"), `export * from "cairnjs";`);
    files.forget();
    expect(asks()).toBe(true);
  });

  it("reads data as bundlers do, and text without its byte order mark", () => {
    const at = project({ "a.json": `{"n":1}`, "b.ts": "\uFEFFexport {};" });
    const files = new ProjectFiles(at("."));
    expect(files.read(at("a.json"))).toBe(`export default {"n":1}`);
    expect(files.read(at("b.ts"))).toBe("export {};");
    expect(files.fileId(at("src/deep/x.ts"))).toBe("src/deep/x.ts");
  });
});
