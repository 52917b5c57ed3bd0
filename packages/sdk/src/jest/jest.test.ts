import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import jest from "./index.ts";
import type { JestOptions } from "./next-transformer.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-jest-"));
  writeFileSync(join(folder, "rate.ts"), "export const RATE = 2;\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const SOURCE = `import { workflow } from "cairnjs";
import { RATE } from "./rate";
export default workflow("w", async (n: number) => n * RATE);
`;

function options(supportsStaticESM = true): JestOptions {
  return { config: { rootDir: folder }, configString: "{}", instrument: false, supportsStaticESM };
}

/** A transformer that comes next and says what it was given. */
const NEXT = `module.exports = {
  process: (source, path, { transformerConfig }) => ({ code: JSON.stringify([source, transformerConfig]) }),
  getCacheKey: (source) => "next",
};`;

describe("the transformer for Jest", () => {
  it("gives another key when a module changes that a workflow was compiled from", async () => {
    const { getCacheKey } = await jest.createTransformer();
    const path = join(folder, "flow.ts");
    const before = getCacheKey?.(SOURCE, path, options());
    expect(getCacheKey?.(SOURCE, join(folder, "flow.ts"), options())).toBe(before);
    writeFileSync(join(folder, "rate.ts"), "export const RATE = 3;\n");
    const { getCacheKey: later } = await jest.createTransformer();
    expect(later?.(SOURCE, path, options())).not.toBe(before);
    expect(getCacheKey?.(SOURCE, path, options(false))).not.toBe(before);
  });

  it("strips types when it is alone", async () => {
    const { process, processAsync } = await jest.createTransformer();
    const { code, map } = process(SOURCE, join(folder, "flow.ts"), options());
    expect(code).toContain("$cairn_compiled(workflow(");
    expect(code.split("function $cairn_module")[0]).not.toContain(": number");
    expect(JSON.parse(String(map))).toMatchObject({ sourcesContent: [SOURCE] });
    await expect(processAsync?.(SOURCE, join(folder, "flow.ts"), options())).resolves.toMatchObject({ code });
  });

  it("says what to do when Jest wants CommonJS and nobody makes it", async () => {
    const { process } = await jest.createTransformer();
    expect(() => process(SOURCE, join(folder, "flow.ts"), options(false))).toThrow('{ then: "@swc/jest" }');
    expect(process("module.exports = 1;", join(folder, "x.js"), options(false)).code).toBe("module.exports = 1;");
  });

  it("hands the module on to the next transformer, with its options, and what is none of ours as it is", async () => {
    writeFileSync(join(folder, "next.cjs"), NEXT);
    const { process } = await jest.createTransformer({ then: [join(folder, "next.cjs"), { own: 1 }] });
    const [code, config] = JSON.parse(process(SOURCE, join(folder, "flow.ts"), options()).code) as [string, object];
    expect(code).toMatch(/^\/\/ @ts-nocheck\nimport \{ compiledWorkflow as \$cairn_compiled \}/);
    expect(config).toEqual({ own: 1 });
    const [plain] = JSON.parse(process("export const x: number = 1;", join(folder, "x.ts"), options()).code) as [
      string,
    ];
    expect(plain).toBe("export const x: number = 1;");
  });
});
