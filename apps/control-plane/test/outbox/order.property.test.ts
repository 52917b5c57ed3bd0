import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testBed } from "../support/test-engine.ts";
import { someRunIds, untilPublished, writeEvents } from "../support/test-outbox.ts";
import { numbers, testSubscriber } from "../support/test-subscriber.ts";

/** Of one request; 0: the connection breaks. */
const answer = fc.constantFrom(200, 200, 204, 0, 422, 429, 500, 503);
const history = fc.record({
  /** How many events each run has, and how many of them are written in a transaction. */
  runs: fc.array(fc.record({ count: fc.integer({ min: 1, max: 12 }), together: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 8,
  }),
  /** What both subscribers answer, one request after the other; then they take everything. */
  answers: fc.tuple(fc.array(answer, { maxLength: 60 }), fc.array(answer, { maxLength: 60 })),
});

describe("whatever subscribers answer", () => {
  it("each has every event at least once, and those of a run in their order", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ onWarning: () => {} });
    const subscribers = [await testSubscriber(), await testSubscriber()];
    for (const [index, { url }] of subscribers.entries()) {
      const target = { kind: "webhook" as const, url };
      const settings = { maxAttempts: 1_000, backoffMs: 1, backoffMaxMs: 4 };
      await cairn.subscriptions.upsert({ name: `s${index}`, types: ["order.*"], target, ...settings });
    }
    await fc.assert(
      fc.asyncProperty(history, async ({ runs, answers }) => {
        subscribers.forEach((subscriber, index) => {
          const left = [...answers[index]!];
          subscriber.received.length = 0;
          subscriber.answer = () => left.shift() ?? 200;
        });
        const ids = someRunIds(runs.length);
        for (let turn = 0; runs.some(({ count, together }) => turn * together < count); turn++) {
          for (const [index, { count, together }] of runs.entries()) {
            const some = numbers(count).slice(turn * together, (turn + 1) * together);
            if (some.length > 0) await writeEvents(bed, ids[index]!, some);
          }
        }
        await untilPublished(bed);
        for (const subscriber of subscribers) {
          runs.forEach(({ count }, index) => expect(subscriber.numbersOf(ids[index]!)).toEqual(numbers(count)));
        }
      }),
      { numRuns: 12 },
    );
  });
});
