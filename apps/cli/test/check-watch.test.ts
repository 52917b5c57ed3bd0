import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { beforeAll, it, onTestFinished } from "vitest";
import { build, main } from "./command.ts";
import { temporaryProject, workflowModule, writeInto } from "./temporary-project.ts";

beforeAll(build);

const helperUser = workflowModule("user", "return helper();", 'import { helper } from "./helper.ts";');

/** Each check is a line. A file written in two steps may be checked twice, so what counts is what is said in the end. */
function watching(folder: string, ...args: string[]): { says(...found: string[]): Promise<void> } {
  const child = spawn(process.execPath, [main, "check", "--watch", "--json", ...args], { cwd: folder });
  onTestFinished(() => {
    child.kill();
  });
  const lines = linesOf(child.stdout);
  const says = async (...found: string[]): Promise<void> => {
    for await (const line of lines) {
      const { diagnostics } = JSON.parse(line) as { diagnostics: { file: string; code: string }[] };
      const said = diagnostics.map(({ file, code }) => `${file} ${code}`);
      if (said.join() === found.join()) return;
    }
    throw new Error(`the command ended before it said: ${found.join()}`);
  };
  return { says };
}

/** An iterator that a loop may leave and another go on with. */
function linesOf(stream: Readable): AsyncIterable<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) };
}

it("checks again what changed and what depends on it, through broken and deleted files", async () => {
  const folder = temporaryProject({
    "a.ts": workflowModule("a", "return new Intl.Collator();"),
    "user.ts": helperUser,
    "helper.ts": "export const helper = () => 1;\n",
  });
  const { says } = watching(folder);
  await says("a.ts CAIRN2008");
  writeInto(folder, "helper.ts", "export const helper = () => process.pid;\n");
  await says("a.ts CAIRN2008", "helper.ts CAIRN2005");
  writeInto(folder, "a.ts", 'import { workflow } from "cairnjs";\nexport default workflow("a", async () => {\n');
  await says("a.ts CAIRN1001", "helper.ts CAIRN2005");
  rmSync(join(folder, "helper.ts"));
  await says("a.ts CAIRN1001", "user.ts CAIRN2021");
  rmSync(join(folder, "a.ts"));
  await says("user.ts CAIRN2021");
  writeInto(folder, "helper.ts", "export const helper = () => 2;\n");
  await says();
});

it("sees new files in new folders, and files outside the folder that it was given", async () => {
  const folder = temporaryProject({
    "src/user.ts": workflowModule("user", "return helper();", 'import { helper } from "../lib/helper.ts";'),
    "lib/helper.ts": "export const helper = () => 1;\n",
  });
  const { says } = watching(folder, "src");
  await says();
  writeInto(folder, "src/deep/new.ts", workflowModule("deep", "return await fetch();"));
  await says("src/deep/new.ts CAIRN2006");
  writeInto(folder, "lib/helper.ts", "export const helper = () => Symbol();\n");
  await says("lib/helper.ts CAIRN2011", "src/deep/new.ts CAIRN2006");
});
