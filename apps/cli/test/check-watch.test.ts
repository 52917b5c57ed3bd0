import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { build, main } from "./command.ts";
import { temporaryProject, workflowModule, writeInto } from "./temporary-project.ts";

beforeAll(build);

const helperUser = workflowModule("user", "return helper();", 'import { helper } from "./helper.ts";');

/** Each check is a line: the next one is the sign that a change was seen. */
function watching(folder: string, ...args: string[]): { next(): Promise<string[]> } {
  const child = spawn(process.execPath, [main, "check", "--watch", "--json", ...args], { cwd: folder });
  onTestFinished(() => {
    child.kill();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string[]> => {
    const { value } = (await lines.next()) as { value: string };
    const { diagnostics } = JSON.parse(value) as { diagnostics: { file: string; code: string }[] };
    return diagnostics.map(({ file, code }) => `${file} ${code}`);
  };
  return { next };
}

it("checks again what changed and what depends on it, through broken and deleted files", async () => {
  const folder = temporaryProject({
    "a.ts": workflowModule("a", "return new Intl.Collator();"),
    "user.ts": helperUser,
    "helper.ts": "export const helper = () => 1;\n",
  });
  const { next } = watching(folder);
  expect(await next()).toEqual(["a.ts CAIRN2008"]);
  writeInto(folder, "helper.ts", "export const helper = () => process.pid;\n");
  expect(await next()).toEqual(["a.ts CAIRN2008", "helper.ts CAIRN2005"]);
  writeInto(folder, "a.ts", 'import { workflow } from "cairnjs";\nexport default workflow("a", async () => {\n');
  expect(await next()).toEqual(["a.ts CAIRN1001", "helper.ts CAIRN2005"]);
  rmSync(join(folder, "helper.ts"));
  expect(await next()).toEqual(["a.ts CAIRN1001", "user.ts CAIRN2021"]);
  rmSync(join(folder, "a.ts"));
  expect(await next()).toEqual(["user.ts CAIRN2021"]);
  writeInto(folder, "helper.ts", "export const helper = () => 2;\n");
  expect(await next()).toEqual([]);
});

it("sees new files in new folders, and files outside the folder that it was given", async () => {
  const folder = temporaryProject({
    "src/user.ts": workflowModule("user", "return helper();", 'import { helper } from "../lib/helper.ts";'),
    "lib/helper.ts": "export const helper = () => 1;\n",
  });
  const { next } = watching(folder, "src");
  expect(await next()).toEqual([]);
  writeInto(folder, "src/deep/new.ts", workflowModule("deep", "return await fetch();"));
  expect(await next()).toEqual(["src/deep/new.ts CAIRN2006"]);
  writeInto(folder, "lib/helper.ts", "export const helper = () => Symbol();\n");
  expect(await next()).toEqual(["lib/helper.ts CAIRN2011", "src/deep/new.ts CAIRN2006"]);
});
