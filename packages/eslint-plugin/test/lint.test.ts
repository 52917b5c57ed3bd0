import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const plugin = join(here, "../dist/index.js");
const cairn = join(here, "../../../apps/cli/dist/main.js");
const require = createRequire(import.meta.url);

/** The same mistakes in TypeScript and JavaScript; characters outside ASCII stand before them. */
function flow(typed: boolean): string {
  return [
    'import { action, sleep, workflow } from "cairnjs";',
    'import { helper } from "./helper.js";',
    'import { declared } from "./other.js";',
    "",
    `export const plain = action("😀 plain", (${typed ? "name: string" : "name"}) => name);`,
    "",
    'export default workflow("flow", async () => {',
    '  /* 😀 ü */ await fetch("https://example.com");',
    "  void sleep(1);",
    "  declared();",
    "  return helper();",
    "});",
    "",
  ].join("\n");
}

const FILES = {
  "ts/flow.ts": flow(true),
  "ts/helper.ts": "export const helper = (): number => process.pid;\n",
  "ts/other.ts": 'import { action } from "cairnjs";\nexport const declared: unknown = action("declared", () => 1);\n',
  "js/flow.js": flow(false),
  "js/helper.js": "export const helper = () => process.pid;\n",
  "js/other.js": 'import { action } from "cairnjs";\nexport const declared = action("declared", () => 1);\n',
  "js/plain.js": "export const plain = 1;\n",
  "js/sound.js": 'import { workflow } from "cairnjs";\nexport default workflow("sound", async () => 1);\n',
};

const project = realpathSync(mkdtempSync(join(tmpdir(), "cairn-lint-")));
beforeAll(() => {
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const built = spawnSync(process.execPath, [compiler, "-b", join(here, ".."), dirname(dirname(cairn))], {
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(built.stdout);
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  const config = [
    `import cairn from ${JSON.stringify(pathToFileURL(plugin).href)};`,
    "export default [cairn.configs.recommended];",
  ];
  write("eslint.config.mjs", config.join("\n"));
  const oxlint = { jsPlugins: [plugin], rules: { "cairn/language": "error", "cairn/no-void-promise": "warn" } };
  write(".oxlintrc.json", JSON.stringify({ ...oxlint, categories: { correctness: "off" } }));
});
afterAll(() => rmSync(project, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
}

function run(script: string, args: readonly string[], input?: string): Ran {
  const options = { cwd: project, encoding: "utf8" as const, ...(input === undefined ? {} : { input }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], options);
  if (stdout === "") throw new Error(stderr);
  return { code: status, stdout };
}

function binary(name: string, command = name): string {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), bin[command] ?? "");
}

interface LintMessage {
  readonly ruleId: string;
  readonly severity: number;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly message: string;
  readonly messageId: string;
}

function eslint(version: "eslint" | "eslint-9", args: readonly string[], input?: string): string[] {
  const { stdout } = run(binary(version, "eslint"), ["--format", "json", ...args], input);
  const results = JSON.parse(stdout) as { filePath: string; messages: LintMessage[] }[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, line, column, endColumn, message, messageId }) => {
      expect(message.startsWith(`${messageId}: `)).toBe(true);
      const level = severity === 2 ? "error" : "warning";
      return `${relative(project, filePath)}:${line}:${column}-${endColumn} ${level} ${ruleId} ${messageId}`;
    }),
  );
}

const JS_FOUND = [
  "js/flow.js:2:24-37 error cairn/language CAIRN2005",
  "js/flow.js:5:41-55 error cairn/language CAIRN5001",
  "js/flow.js:8:20-25 error cairn/language CAIRN2006",
  "js/flow.js:9:3-16 warning cairn/no-void-promise CAIRN4003",
  "js/flow.js:10:3-13 error cairn/language CAIRN4002",
  "js/other.js:2:44-51 error cairn/language CAIRN5001",
];

describe.each(["eslint", "eslint-9"] as const)("%s", (version) => {
  it("shows each problem where it stands, and one of a helper at its import", () => {
    expect(eslint(version, ["js"])).toEqual(JS_FOUND);
  });

  it("checks what the editor has, saved or not", () => {
    const unsaved = FILES["js/sound.js"].replace("=> 1", "=> Symbol()");
    const found = eslint(version, ["--stdin", "--stdin-filename", "js/sound.js"], unsaved);
    expect(found).toEqual(["js/sound.js:2:46-52 error cairn/language CAIRN2011"]);
  });
});

it("needs no tree of TypeScript: any parser that accepts the file will do", () => {
  const blind = `{ parseForESLint: (text) => ({ ast: { type: "Program", body: [], sourceType: "module", comments: [],
    tokens: [], range: [0, text.length], loc: { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } } } }) }`;
  const config = [
    `import cairn from ${JSON.stringify(pathToFileURL(plugin).href)};`,
    `export default [{ files: ["**/*.ts"], languageOptions: { parser: ${blind} } }, cairn.configs.recommended];`,
  ];
  write("blind.config.mjs", config.join("\n"));
  const found = eslint("eslint", ["--config", "blind.config.mjs", "ts"]);
  expect(found.map((text) => text.replace(/^(\S+?)-\d+ .* /, "$1 "))).toEqual([
    "ts/flow.ts:1:1 CAIRN2005",
    "ts/flow.ts:5:41 CAIRN5001",
    "ts/flow.ts:8:20 CAIRN2006",
    "ts/flow.ts:9:3 CAIRN4003",
    "ts/flow.ts:10:3 CAIRN4002",
    "ts/other.ts:2:53 CAIRN5001",
  ]);
});

interface OxlintDiagnostic {
  readonly code: string;
  readonly severity: string;
  readonly filename: string;
  readonly message: string;
  readonly labels: { readonly span: { readonly line: number; readonly column: number } }[];
}

function oxlint(...args: string[]): string[] {
  const { stdout } = run(binary("oxlint"), ["--format", "json", ...args]);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: OxlintDiagnostic[] };
  return diagnostics.map(({ code, severity, filename, message, labels: [label] }) => {
    const line = label?.span.line ?? 0;
    return `${filename}:${line} ${severity} ${code} ${message.slice(0, "CAIRN0000".length)}`;
  });
}

describe("oxlint", () => {
  it("shows the same in TypeScript and JavaScript", () => {
    const found = oxlint("ts", "js").sort();
    const expected = JS_FOUND.map((text) => {
      const [, place, severity, rule, code] = /^(\S+):\d+-\d+ (\w+) cairn\/(\S+) (\w+)$/.exec(text) ?? [];
      return `${place} ${severity} cairn(${rule}) ${code}`;
    });
    const typed = expected.map((text) => text.replace(/^js\/(\w+)\.js/, "ts/$1.ts"));
    expect(found).toEqual([...expected, ...typed].sort());
  });
});

it("shows all that cairn check shows", () => {
  const [checked] = run(cairn, ["check", "--json", "js"]).stdout.split("\n");
  const { diagnostics } = JSON.parse(checked ?? "") as { diagnostics: { code: string }[] };
  const codes = (texts: readonly string[]): string[] => texts.map((text) => text.slice(-"CAIRN0000".length)).sort();
  expect(codes(JS_FOUND)).toEqual(diagnostics.map(({ code }) => code).sort());
});
