import type { TestProject } from "vitest/node";
import { makeRunFolder, removeAbandonedRuns, removeRunFolder } from "./test-run.ts";

/** Starts nothing: the first test that wants a database does. So tests of other packages pay nothing. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedRuns();
  const folder = makeRunFolder();
  project.provide("cairnTestRun", folder);
  return () => removeRunFolder(folder);
}
