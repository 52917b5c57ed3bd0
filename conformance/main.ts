import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Judgement } from "./judge.ts";
import { judgeAll } from "./judge-all.ts";
import { knownDifferences } from "./known-differences.ts";
import { type Options, optionsOf } from "./options.ts";
import { failuresOf, reportOf } from "./report.ts";
import { runOnMachine } from "./run-machine.ts";
import { runAlone } from "./run-native.ts";
import { select } from "./select.ts";
import { readTest, suitePaths } from "./suite.ts";
import { USUAL, nativeText, workflowText } from "./wrap.ts";

/** Runs the conformance suite of ECMAScript as workflow bodies and reports what became of each test. */
async function main(options: Options): Promise<void> {
  process.env["TZ"] = "UTC";
  if (options.show !== null) return show(options.show);
  const started = performance.now();
  const paths = select(suitePaths(), options);
  const judgements = await judgeIn(Math.min(options.workers, availableParallelism()), paths);
  console.log(reportOf(judgements));
  if (options.why !== null) listReason(judgements, options.why);
  const failed = judgements.filter(({ verdict }) => verdict === "failed").map(({ path }) => path);
  const known = knownDifferences();
  const unknown = failed.filter((path) => !known.has(path));
  if (unknown.length > 0) console.log(`\nFailed:\n${failuresOf(judgements)}`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(
    `\n${judgements.length} tests in ${seconds} s, ${unknown.length} failed, ${failed.length - unknown.length} known`,
  );
  const stale = [...known].filter((path) => paths.includes(path) && !failed.includes(path));
  if (stale.length > 0) console.log(`known differences that are none any more:\n${stale.join("\n")}`);
  if (unknown.length + stale.length > 0) process.exitCode = 1;
}

async function judgeIn(workers: number, paths: readonly string[]): Promise<Judgement[]> {
  if (workers <= 1) return judgeAll(paths);
  const parts = Array.from({ length: workers }, (_, part) => paths.filter((_path, at) => at % workers === part));
  const judged = (await Promise.all(parts.map(judgeInThread))).flat();
  return judged.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function judgeInThread(paths: readonly string[]): Promise<Judgement[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.js", import.meta.url), { workerData: paths });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function listReason(judgements: readonly Judgement[], why: string): void {
  for (const { path, verdict, reasons } of judgements) {
    if (verdict === "passed" || !reasons.some((reason) => reason.includes(why))) continue;
    console.log(`${verdict} ${path}\n    ${reasons.join("\n    ")}`);
  }
}

async function show(path: string): Promise<void> {
  const test = readTest(path);
  console.log(test.text);
  for (const properties of ["probed", "described"] as const) {
    const wrapping = { ...USUAL, properties };
    console.log(properties, runOnMachine(workflowText(test, wrapping)), await runAlone(nativeText(test, wrapping)));
  }
}

await main(optionsOf(process.argv.slice(2)));
