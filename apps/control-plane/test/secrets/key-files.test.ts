import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { warnOfKeyFiles } from "../../src/secrets/key-files.ts";

it("a file of a master key that others can read is warned of, by its name and without the key", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key");
  writeFileSync(file, "the key");
  const warned = (mode: number, name = "CAIRN_MASTER_KEY_FILE"): string[] => {
    chmodSync(file, mode);
    const warnings: string[] = [];
    warnOfKeyFiles({ [name]: file }, (message, error) => void warnings.push(`${message}: ${(error as Error).message}`));
    return warnings;
  };
  expect(warned(0o600)).toEqual([]);
  expect(warned(0o440)).toEqual([]);
  expect(warned(0o644)).toEqual([
    `Others can read a master key: ${file} (CAIRN_MASTER_KEY_FILE) has the mode 644: chmod 600 ${file}`,
  ]);
  expect(warned(0o604, "CAIRN_MASTER_KEY_OLD_FILE")).toHaveLength(1);
  expect(warned(0o644, "CAIRN_MASTER_KEY")).toEqual([]);
});
