import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Metadata, metadataOf } from "./metadata.ts";

/** One file of the suite. */
export interface SuiteTest {
  /** Below the suite's `test` folder, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly metadata: Metadata;
}

/** `harness` tests the suite's own harness, which is not used here; `intl402` is all of it rejected (`Intl`). */
const FOLDERS = ["annexB", "built-ins", "language"];

/** The suite is read where npm put it; none of its files is part of this repository. */
const testFolder = join(dirname(createRequire(import.meta.url).resolve("@gerhobbelt/test262/package.json")), "test");

/** Paths of all tests, sorted, so that a shard or a sample is the same everywhere. */
export function suitePaths(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(testFolder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js") && !name.includes("_FIXTURE"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  ).sort();
}

export function readTest(path: string): SuiteTest {
  const text = readFileSync(join(testFolder, path), "utf8");
  return { path, text, metadata: metadataOf(text) };
}
