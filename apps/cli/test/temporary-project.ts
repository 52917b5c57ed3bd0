import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these files, removed after the test. */
export function temporaryProject(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cairn-check-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) writeInto(folder, path, text);
  return folder;
}

export function writeInto(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A module with one workflow that has these statements. */
export function workflowModule(name: string, body: string, imports = ""): string {
  return `import { workflow } from "cairnjs";\n${imports}\nexport default workflow("${name}", async () => {\n${body}\n});\n`;
}
