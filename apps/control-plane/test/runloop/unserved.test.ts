import { expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { declareElsewhere } from "../support/test-jobs.ts";
import { lockWith, openLoop, untilBlocked } from "../support/test-runloop.ts";
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

it("a call whose give-back is being committed when a worker for its name comes is made again at once", async () => {
  const bed = await testBed();
  const loop = await openLoop(bed);
  const id = await loop.start(fan, 2);
  const [running, waiting] = await loop.calls(2);
  const { runId, call, attempt } = waiting!;
  const unlock = await lockWith(bed, "SELECT FROM cairn.queue FOR UPDATE");
  loop.runloop.unserved([{ runId, call, attempt, waitingFor: "a worker for loop.", againInMs: 3_600_000 }]);
  await untilBlocked(bed);
  loop.runloop.joined("default", ["billing"]);
  loop.runloop.joined("another", ["loop"]);
  loop.runloop.joined("default", ["loop"]);
  await unlock();
  const again = await loop.call(2);
  expect(again).toMatchObject({ runId, call, attempt });
  for (const each of [running!, again]) loop.answer(each, 1);
  await loop.end(id);
  expect(loop.dispatched).toHaveLength(3);
});

it("a job that is being parked when a worker for its name comes is woken at once", async () => {
  const bed = await testBed();
  await declareElsewhere(bed, "remote.charge");
  const loop = await openLoop(bed);
  await bed.query("SELECT cairn.start_run('remote.charge', '1')");
  loop.runloop.poke();
  const { runId, call, attempt } = await loop.call(0);
  const unlock = await lockWith(bed, "SELECT FROM cairn.queue FOR UPDATE");
  loop.runloop.unserved([{ runId, call, attempt, waitingFor: "a worker for remote.", againInMs: 3_600_000 }]);
  await untilBlocked(bed);
  loop.runloop.joined("default", ["remote"]);
  await unlock();
  const again = await loop.call(1);
  expect(again).toMatchObject({ runId, call, attempt });
  loop.answer(again, 7);
  expect(await loop.end(runId)).toMatchObject({ status: "succeeded" });
});
