import { describe, expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { startPlane } from "../support/plane-process.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connectTo, RawWorker, refOf, registerFlows, startRun } from "../support/test-worker.ts";

async function attempts(bed: TestBed, runId: string): Promise<unknown[]> {
  return bed.query(
    "SELECT attempt, outcome, worker FROM cairn.step_attempts WHERE run_id = $1 ORDER BY attempt",
    runId,
  );
}

describe("a worker that is gone", () => {
  it("I8: its calls are dispatched elsewhere within 2 s, without backoff, and count as no attempt", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    const client = connectTo(plane.port);
    await registerFlows(client);
    const first = await new RawWorker(plane.port, { workerId: "first" }).open();
    const id = await startRun(client, "remote.waiting", "x");
    const call = await first.call();
    const second = await new RawWorker(plane.port, { workerId: "second" }).open();
    const before = performance.now();
    first.break();
    const again = await second.call();
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(again).toMatchObject({ ...refOf(call), attempt: 2, idempotencyKey: call.idempotencyKey });
    second.answer(again, '"done"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    expect(await attempts(bed, id)).toEqual([
      { attempt: 1, outcome: "lost", worker: null },
      { attempt: 2, outcome: "succeeded", worker: "second" },
    ]);
  });

  it("I8: one that drains keeps its calls if only its stream was gone, and loses them at once when it ends that", async () => {
    const bed = await testBed();
    const { port } = await openPlane(bed);
    const client = connectTo(port);
    await registerFlows(client);
    const worker = await new RawWorker(port, { workerId: "draining" }).open(1);
    const id = await startRun(client, "remote.waiting", "a");
    const call = await worker.call();
    // What it says of a run that there is not is answered: then it is known that it drains.
    worker.say({ draining: true });
    worker.answer({ ...refOf(call), runId: "01890a5d-ac96-774b-bcce-b302099a8057" }, "1");
    await until(async () => worker.cancels[0]);
    worker.break();
    await worker.end();
    await worker.open(0, [call]);
    worker.say({ draining: true });
    const other = await new RawWorker(port, { workerId: "other" }).open(1);
    await startRun(client, "remote.waiting", "b");
    // Had the first one been lost, it would have come before.
    expect((await other.call()).runId).not.toBe(id);
    other.credit(1);
    worker.finish();
    expect(await other.call(1)).toMatchObject({ runId: id, attempt: 2 });
  });

  it("what its last try has told reaches the next one, at another control plane", async () => {
    const bed = await testBed();
    const [one, other] = [await openPlane(bed), await openPlane(bed)];
    const client = connectTo(one.port);
    await registerFlows(client);
    const first = await new RawWorker(one.port, { workerId: "first" }).open();
    const id = await startRun(client, "remote.waiting", "x");
    const call = await first.call();
    first.say({ heartbeats: [{ ...refOf(call), details: { json: '{"rows":12}' } }] });
    await until(async () => (await bed.query("SELECT FROM cairn.heartbeat_details")).length === 1);
    first.break();
    await one.close();
    const second = await new RawWorker(other.port, { workerId: "second" }).open();
    expect(await second.call()).toMatchObject({ attempt: 2, heartbeatDetails: { json: '{"rows":12}' } });
    second.answer(second.calls[0]!, '"done"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    await until(async () => (await bed.query("SELECT FROM cairn.heartbeat_details")).length === 0);
  });
});

describe("a control plane that is killed", () => {
  it("I8: calls go on, their results arrive at the new owner, and no attempt is lost", async () => {
    const bed = await testBed();
    const doomed = await startPlane(bed.url);
    const survivor = await openPlane(bed);
    const client = connectTo(doomed.port);
    await registerFlows(client);
    const workerId = "both";
    const worker = await new RawWorker(doomed.port, { workerId }).open();
    const atSurvivor = await new RawWorker(survivor.port, { workerId }).open(0);
    const ids = [await startRun(client, "remote.waiting", "a"), await startRun(client, "remote.waiting", "b")];
    const [running, ended] = [await worker.call(0), await worker.call(1)];
    await doomed.kill("SIGKILL");
    // One ends at once: nobody has its run yet, or the new owner has. The other one goes on.
    atSurvivor.answer(ended, '"ended"');
    await until(async () => atSurvivor.frames.some(({ askInFlight }) => askInFlight === true));
    atSurvivor.say({ inFlight: { calls: [refOf(running)], more: false } });
    await until(async () => atSurvivor.acknowledged.some(({ runId }) => runId === ended.runId));
    atSurvivor.say({ heartbeats: [{ ...refOf(running), details: null }] });
    atSurvivor.answer(running, '"went on"');
    for (const id of ids) {
      await untilRun(bed, id, ({ status }) => status === "succeeded");
      expect(await attempts(bed, id)).toEqual([{ attempt: 1, outcome: "succeeded", worker: workerId }]);
    }
    expect(atSurvivor.calls).toEqual([]);
  });

  it("I8: calls that no worker claims are dispatched again by the new owner", async () => {
    const bed = await testBed();
    const doomed = await startPlane(bed.url);
    const survivor = await openPlane(bed);
    const client = connectTo(doomed.port);
    await registerFlows(client);
    const worker = await new RawWorker(doomed.port, { workerId: "gone" }).open();
    const id = await startRun(client, "remote.waiting", "a");
    await worker.call();
    await doomed.kill("SIGKILL");
    const other = await new RawWorker(survivor.port, { workerId: "other" }).open();
    const again = await other.call();
    expect(again.attempt).toBe(2);
    other.answer(again, '"done"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
  });

  it("one that is told to end says goodbye, hands over, and its calls go on", async () => {
    const bed = await testBed();
    const leaving = await startPlane(bed.url);
    const survivor = await openPlane(bed);
    const client = connectTo(leaving.port);
    await registerFlows(client);
    const worker = await new RawWorker(leaving.port, { workerId: "w" }).open();
    const atSurvivor = await new RawWorker(survivor.port, { workerId: "w" }).open(0);
    const id = await startRun(client, "remote.waiting", "a");
    const call = await worker.call();
    expect(await leaving.kill("SIGTERM")).toBe(0);
    expect(worker.frames.some(({ goodbye }) => goodbye === true)).toBe(true);
    await until(async () => atSurvivor.frames.some(({ askInFlight }) => askInFlight === true));
    atSurvivor.say({ inFlight: { calls: [refOf(call)], more: false } });
    atSurvivor.answer(call, '"done"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    expect(await attempts(bed, id)).toEqual([{ attempt: 1, outcome: "succeeded", worker: "w" }]);
  });
});

describe("two control planes", () => {
  it("tell workers of each other, and a result that comes to the wrong one finds its run", async () => {
    const bed = await testBed();
    const [one, other] = [await openPlane(bed), await openPlane(bed)];
    const client = connectTo(one.port);
    await registerFlows(client);
    const worker = await new RawWorker(one.port, { workerId: "w" }).open();
    const known = await until(async () => {
      const planes = worker.frames.flatMap(({ welcome, controlPlanes }) => [
        welcome?.controlPlanes ?? controlPlanes ?? [],
      ]);
      return planes.find((list) => list.length === 2);
    });
    expect(known.map(({ url }) => url).sort()).toEqual(
      [one, other].map(({ port }) => `http://127.0.0.1:${port}`).sort(),
    );
    const atOther = await new RawWorker(other.port, { workerId: "w" }).open(0);
    const id = await startRun(client, "remote.waiting", "x");
    atOther.answer(await worker.call(), '"by the other one"');
    expect((await untilRun(bed, id, ({ status }) => status === "succeeded")).result).toBe("by the other one");
    await until(async () => atOther.acknowledged.length === 1);
  });

  it("a worker of one serves runs of both, in their order, as its credits allow", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    const client = connectTo(plane.port);
    await registerFlows(client);
    const worker = await new RawWorker(plane.port, {}).open(0);
    const ids = await Promise.all([1, 2, 3].map(() => startRun(client, "remote.waiting", "x")));
    await until(async () => worker.frames.at(-1)?.backlog?.calls === 3);
    worker.credit(2);
    await worker.call(1);
    await until(async () => worker.frames.at(-1)?.backlog?.calls === 1);
    expect(worker.calls).toHaveLength(2);
    worker.answer(worker.calls[0]!, '"x"');
    worker.credit(1);
    expect(ids).toContain((await worker.call(2)).runId);
  });
});
