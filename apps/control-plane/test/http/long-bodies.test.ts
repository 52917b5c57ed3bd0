import { expect, it } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { sums } from "../workflows/basics.ts";

const BODIES = 5;
/** To parse an object of names that nothing else has takes more than a microsecond for each. */
const NAMES = 100_000;
const tokens = [
  { token: "busy", namespace: "default" },
  { token: "other", namespace: "other" },
];

it("bodies that take long to parse come one after another: others are answered in between", async () => {
  const rest = await openRest({ tokens, token: "busy", rate: false });
  const names = Array.from({ length: NAMES }, (_, index) => `"name ${index}":1`).join(",");
  const body = `{"type":"${sums.name}","payload":{${names}}}`;
  const began = performance.now();
  const ended = new AbortController();
  const answers = Promise.all(
    Array.from({ length: BODIES }, async () => (await rest.ask("POST", "/runs", body)).status),
  ).finally(() => ended.abort());
  let longestMs = 0;
  while (!ended.signal.aborted) {
    const asked = performance.now();
    const { status } = await rest.ask("GET", "/me", undefined, { authorization: "Bearer other" });
    expect(status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - asked);
  }
  const allMs = performance.now() - began;
  // It is not what the workflow takes.
  expect(await answers).toEqual(Array(BODIES).fill(400));
  console.log(`${longestMs.toFixed(0)} ms of ${allMs.toFixed(0)}`);
  expect(longestMs).toBeLessThan((allMs * 2) / BODIES);
});
