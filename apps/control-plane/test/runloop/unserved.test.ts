import { expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { openLoop } from "../support/test-runloop.ts";
import { fan } from "../workflows/runloop.ts";

it("a call that was given back is made again when a worker for its name comes, once, while others of its run go on", async () => {
  const bed = await testBed();
  const loop = await openLoop(bed);
  const id = await loop.start(fan, 3);
  const [running, ...waiting] = await loop.calls(3);
  const calls = waiting.map(({ runId, call, attempt }) => ({ runId, call, attempt }));
  loop.runloop.unserved(calls.map((call) => ({ ...call, waitingFor: "a worker for loop.", againInMs: 3_600_000 })));
  const shown = "SELECT FROM cairn.queue WHERE waiting_for = 'a worker for loop.'";
  await until(async () => (await bed.query(shown)).length === 1);
  loop.runloop.joined("default", ["billing", "loo"]);
  loop.runloop.joined("another", ["loop"]);
  loop.runloop.joined("default", ["billing", "loop"]);
  loop.runloop.joined("default", ["loop"]);
  const again = (await loop.calls(5)).slice(3);
  expect(again.map(({ call, attempt }) => [call, attempt])).toEqual(
    waiting.map(({ call, attempt }) => [call, attempt]),
  );
  for (const call of [running!, ...again]) loop.answer(call, 1);
  await loop.end(id);
  expect(loop.dispatched).toHaveLength(5);
});
