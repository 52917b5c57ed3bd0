import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { diagnosticsOf } from "../../test/rejected/diagnostics-of.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const sections = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => readFileSync(join(folder, name), "utf8").split(/^## /m).slice(1));

/** An example is a module, or, when it declares no workflow, statements of a body. */
function moduleOf(example: string): string {
  const whole = example.includes("workflow(")
    ? example
    : `export default workflow("example", async (input: any) => {\n${example}});\n`;
  const names = "action, compensate, emit, mapLimit, progress, runInfo, signal, sleep, step, workflow";
  return /from "cairnjs"/.test(whole) ? whole : `import { ${names} } from "cairnjs";\n${whole}`;
}

function codesOf(section: string, part: "Wrong" | "Right"): string[] {
  const [, language, example] = new RegExp(`^${part}:\\n\\n\`\`\`(tsx?)\\n([^]*?)^\`\`\`$`, "m").exec(section) ?? [];
  const entry = `example.${language}`;
  const hooks = {
    resolve: (specifier: string) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id: string) => {
      if (id !== entry) throw new Error(`no file ${id}`);
      return moduleOf(example ?? "");
    },
  };
  return diagnosticsOf(entry, hooks).map(({ code, message }) => `${code} ${message}`);
}

describe("examples of the docs", () => {
  it.each(sections.map((section) => [section.slice(0, "CAIRN0000".length), section]))("%s", (code, section) => {
    const wrong = codesOf(section, "Wrong");
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.filter((text) => !text.startsWith(code))).toEqual([]);
    expect(codesOf(section, "Right")).toEqual([]);
  });
});
