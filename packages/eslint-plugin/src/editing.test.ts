import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ESLint, Linter } from "eslint";
import { expect, it, onTestFinished } from "vitest";
import cairn from "./index.ts";

/** One process for a whole session, as an editor has it. */
function editor(): { folder: string; linted(text: string): Linter.LintMessage[]; lint(text: string): string[] } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-edit-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const linter = new Linter({ cwd: folder });
  const plugin: ESLint.Plugin = cairn;
  const config: Linter.Config[] = [{ plugins: { cairn: plugin } }, cairn.configs.recommended];
  const linted = (text: string): Linter.LintMessage[] =>
    linter.verify(text, config, { filename: join(folder, "flow.js") });
  const lint = (text: string): string[] =>
    linted(text).map(
      ({ line, messageId, message }) => `${line} ${messageId}${/ It stands in \S+\./.exec(message)?.[0] ?? ""}`,
    );
  return { folder, linted, lint };
}

const head = 'import { workflow } from "cairnjs";\nimport { helper } from "./helper.js";\n';
const flow = `${head}export default workflow("flow", async () => helper());\n`;

it("sees modules come, change and go on disk between two lints of the same text", () => {
  const { folder, lint } = editor();
  const helper = join(folder, "helper.ts");
  expect(lint(flow)).toEqual(["3 CAIRN2021"]);
  writeFileSync(helper, "export const helper = () => 1;\n");
  expect(lint(flow)).toEqual([]);
  writeFileSync(helper, "\nexport const helper = () => process.pid;\n");
  expect(lint(flow)).toEqual(["2 CAIRN2005 It stands in helper.ts:2:29."]);
  rmSync(helper);
  expect(lint(flow)).toEqual(["3 CAIRN2021"]);
});

it("shows a warning by its own rule, so that it can be turned off alone", () => {
  const { folder, lint } = editor();
  writeFileSync(join(folder, "helper.js"), "export const helper = async () => 1;\n");
  const text = flow.replace("=> helper()", "=> {\n  void helper();\n  fetch();\n}");
  expect(lint(text)).toEqual(["4 CAIRN4003", "5 CAIRN2006"]);
  expect(lint(`/* eslint cairn/no-void-promise: off */ ${text}`)).toEqual(["5 CAIRN2006"]);
});

it("finds a problem behind a module that passes the helper on", () => {
  const { folder, lint } = editor();
  writeFileSync(join(folder, "helper.js"), 'export { helper } from "./deep.js";\n');
  writeFileSync(join(folder, "deep.js"), "export const helper = () => Symbol();\n");
  expect(lint(flow)).toEqual(["2 CAIRN2011 It stands in deep.js:1:29."]);
});

it("names the workflow that uses a helper, in the same file and in another", () => {
  const { folder, linted } = editor();
  writeFileSync(join(folder, "helper.js"), "export const helper = () => process.pid;\n");
  const own = 'const own = () => Symbol();\nexport const other = workflow("other", async () => [own(), helper()]);\n';
  const inHelper = " It stands in helper.js:1:29. It is used by workflow `flow` at flow.js:3:45, and by 1 more. ";
  expect(linted(`${flow}${own}`).map(({ message }) => message)).toEqual([
    expect.stringContaining(inHelper),
    expect.stringContaining(" It is used by workflow `other` at flow.js:5:53. "),
  ]);
});

it("is not misled by a byte order mark and a hashbang", () => {
  const { lint } = editor();
  const text =
    '#!/usr/bin/env node\nimport { workflow } from "cairnjs";\nexport default workflow("w", async () => fetch());\n';
  expect(lint(`\uFEFF${text}`)).toEqual(["3 CAIRN2006"]);
});

it("has the recommended severities of the compiler", () => {
  expect(cairn.configs.recommended.rules).toEqual({
    "cairn/language": "error",
    "cairn/no-return-out-of-try": "warn",
    "cairn/no-unchecked-input": "warn",
    "cairn/no-workflow-in-function": "warn",
    "cairn/no-unstorable-argument": "warn",
    "cairn/no-void-promise": "warn",
  });
  expect(Object.values(cairn.rules ?? {}).map((rule) => rule.meta?.docs?.url)).toEqual([
    expect.stringMatching(/^https:.*README\.md$/),
    expect.stringMatching(/^https:.*CAIRN3017\.md$/),
    expect.stringMatching(/^https:.*CAIRN4003\.md$/),
    expect.stringMatching(/^https:.*CAIRN4007\.md$/),
    expect.stringMatching(/^https:.*CAIRN5013\.md$/),
    expect.stringMatching(/^https:.*CAIRN5015\.md$/),
  ]);
});
