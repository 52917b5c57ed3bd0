import { expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { declareElsewhere } from "../support/test-jobs.ts";
import { connect, lockWith, openLoop, untilBlocked } from "../support/test-runloop.ts";
import { endExpired } from "../../src/store/start-shaped.ts";

it("a job whose owner ended before its call was made, and that is claimed again after its ttl, expires", async () => {
  const bed = await testBed();
  await declareElsewhere(bed, "remote.charge");
  const former = await openLoop(bed);
  // Its commit waits until the owner dispatches nothing any more.
  const unlock = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
  const [started] = await bed.query<{ id: string }>(
    `SELECT cairn.start_run('remote.charge', '1', '{"ttl":60000}') AS id`,
  );
  former.runloop.poke();
  await untilBlocked(bed);
  former.runloop.drain();
  await unlock();
  await former.runloop.close();
  expect(former.dispatched).toEqual([]);
  await bed.advance(61_000);
  const later = await openLoop(bed);
  later.runloop.poke();
  expect(await later.end(started!.id)).toMatchObject({ status: "cancelled" });
  expect([...later.dispatched, ...later.adopted]).toEqual([]);
});

it("a job that may have begun when its owner was lost is not ended by its ttl", async () => {
  const bed = await testBed();
  await declareElsewhere(bed, "remote.charge");
  const former = await openLoop(bed);
  await bed.query(`SELECT cairn.start_run('remote.charge', '1', '{"ttl":60000}')`);
  former.runloop.poke();
  const call = await former.call(0);
  await former.runloop.close();
  await bed.advance(61_000);
  expect(await endExpired(await connect(bed))).toBe(0);
  const later = await openLoop(bed);
  later.runloop.poke();
  const adopted = await until(async () => later.adopted[0]);
  expect(adopted).toMatchObject({ runId: call.runId, attempt: 1 });
  later.runloop.strangers([adopted]);
  later.answer(await later.call(0), 7);
  expect(await later.end(call.runId)).toMatchObject({ status: "succeeded", value: "7" });
});

it("a job whose call could not be taken back when its ttl was over is asked for again, until it has expired", async () => {
  const bed = await testBed();
  await declareElsewhere(bed, "remote.charge");
  const loop = await openLoop(bed);
  await bed.query(`SELECT cairn.start_run('remote.charge', '1', '{"ttl":60000}')`);
  loop.runloop.poke();
  const { runId, call, attempt } = await loop.call(0);
  await bed.advance(61_000);
  loop.runloop.poke();
  await until(async () => loop.recalled.length === 1);
  // Its arguments were being written just then, which has failed.
  await bed.advance(6_000);
  loop.runloop.poke();
  await until(async () => loop.recalled.length === 2);
  expect(loop.recalled[1]).toEqual({ runId, call, attempt });
  loop.runloop.unserved([{ runId, call, attempt, waitingFor: null, againInMs: 0 }]);
  expect(await loop.end(runId)).toMatchObject({ status: "cancelled" });
  await bed.advance(6_000);
  loop.runloop.poke();
  expect(loop.recalled).toHaveLength(2);
});
