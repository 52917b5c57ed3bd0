import { expect, it } from "vitest";
import { judgeAll } from "./judge-all.ts";
import { knownDifferences } from "./known-differences.ts";
import { failuresOf } from "./report.ts";
import { select } from "./select.ts";
import { suitePaths } from "./suite.ts";

/** `npm run verify` takes more of them, and `npm run conformance` all; here a sample that takes some seconds. */
const SEED = 262;
const SAMPLE = 500;

it(`does with ${SAMPLE} tests of ECMAScript's conformance suite what Node.js does, or rejects them (seed ${SEED})`, async () => {
  const paths = select(suitePaths(), { filter: "", shard: [1, 1], sample: SAMPLE, seed: SEED });
  const judgements = await judgeAll(paths);
  const known = knownDifferences();
  expect(failuresOf(judgements.filter(({ path }) => !known.has(path)))).toBe("");
  const passed = judgements.filter(({ verdict }) => verdict === "passed").length;
  // A harness that stopped compiling would reject every test.
  expect(passed).toBeGreaterThan(SAMPLE / 4);
}, 120_000);
