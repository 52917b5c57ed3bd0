import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const page = readFileSync(join(here, "../../docs/checking.md"), "utf8");

/** TypeScript that no other parser than one for TypeScript takes, with an error and a warning of ours. */
const FLOW = `import { sleep, workflow } from "cairnjs";

interface Order {
  readonly id: string;
}

export default workflow("flow", async (order: Order) => {
  const known = { id: order.id } satisfies Order;
  await fetch("https://example.com");
  void sleep(1);
  return known as Order;
});
`;

/** A folder of its own inside this package: what the configurations import is found from there. */
const project = join(here, "dist");

/** The first block of the page that begins so, as it stands there. */
function block(language: string, beginning: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text]) => text ?? "",
  );
  const found = blocks.find((text) => text.startsWith(beginning));
  if (found === undefined) throw new Error(`The page has no block that begins with ${beginning}`);
  return found;
}

function run(tool: string, path: string, ...options: string[]): string {
  const command = join(dirname(require.resolve(`${tool}/package.json`)), path);
  const args = ["--require", join(here, "typescript-6.cjs"), command, ...options, "flow.ts"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  return stdout + stderr;
}

describe("the configurations of docs/checking.md, as they stand there", () => {
  beforeAll(() => {
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(project, "flow.ts"), FLOW);
    writeFileSync(join(project, "eslint.config.js"), block("js", "// eslint.config.js"));
    writeFileSync(join(project, ".oxlintrc.json"), block("json", '{\n  "jsPlugins"'));
  });

  it("work in ESLint with the parser of typescript-eslint", () => {
    const output = run("eslint", "bin/eslint.js", "--format", "json");
    const [file] = JSON.parse(output) as { messages: { ruleId: string; line: number; severity: number }[] }[];
    expect(file?.messages.map(({ ruleId, line, severity }) => [ruleId, line, severity])).toEqual([
      ["cairn/language", 9, 2],
      ["cairn/no-void-promise", 10, 1],
    ]);
  });

  it("work in oxlint", () => {
    const output = run("oxlint", "bin/oxlint", "--format", "json");
    const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; severity: string }[] };
    const ours = diagnostics.filter(({ code }) => code.startsWith("cairn("));
    expect(ours.map(({ code, severity }) => [code, severity])).toEqual([
      ["cairn(language)", "error"],
      ["cairn(no-void-promise)", "warning"],
    ]);
  });
});
