import { action, currentCall } from "cairnjs";
import { describe, expect, it } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("default.echo", async (value: unknown) => value);
const ends = new Map<string, { end: (value: unknown) => void; signal: AbortSignal }>();
action("default.held", async (key: string) => {
  const { signal } = currentCall();
  return await new Promise<unknown>((end) => ends.set(key, { end, signal }));
});
const heldCall = (key: string) => until(() => ends.get(key), key);

describe("a worker that is asked to end", () => {
  it("says so, takes no more, lets calls end, and ends when their outcomes are acknowledged", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.held", ["drained"])] });
    const { end } = await heldCall("drained");
    let hasEnded = false;
    const drained = worker.drain(60_000).then((why) => {
      hasEnded = true;
      return why;
    });
    await until(() => stream.frames.some(({ draining }) => draining === true));
    end("done");
    const [outcome] = await until(() => stream.outcomes.length > 0 && stream.outcomes);
    expect(hasEnded).toBe(false);
    stream.send({ acknowledged: [outcome!] });
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
    await until(() => stream.hasEnded);
    expect(stream.credits?.free).toBe(0);
  });

  it("does not begin a call that was sent before the control plane knew: it is made again elsewhere", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    await until(() => stream.credits !== undefined);
    const drained = worker.drain(60_000);
    stream.send({ dispatches: [dispatchOf("default.held", ["crossed"])] });
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
    expect(ends.has("crossed")).toBe(false);
  });

  it("says so on streams that are opened meanwhile", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url);
    const first = await fake.stream();
    first.send({ dispatches: [dispatchOf("default.held", ["drained again"])] });
    const { end } = await heldCall("drained again");
    const drained = worker.drain(60_000);
    await until(() => first.frames.some(({ draining }) => draining === true));
    first.break();
    const second = await fake.stream();
    await until(() => second.frames.some(({ draining }) => draining === true));
    expect(second.frames.every(({ credits }) => credits === undefined || credits.free === 0)).toBe(true);
    end("done");
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
  });

  it("aborts what takes longer than the limit: to the control plane such a try is lost, and not failed", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.held", ["late"], { call: "1.0" }),
        dispatchOf("default.echo", [1], { call: "2.0" }),
      ],
    });
    const { signal, end } = await heldCall("late");
    const drained = worker.drain(20);
    await until(() => signal.aborted);
    expect((signal.reason as Error).message).toContain("made again elsewhere");
    end("in vain");
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
    expect(fake.outcomes.map(({ call }) => call)).toEqual(["2.0"]);
  });

  it("gives up outcomes that nobody takes, and tells how many", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.echo", [1])] });
    await until(() => stream.outcomes.length === 1);
    expect(await worker.drain(0)).toEqual({ kind: "drained", unacknowledged: 1 });
  });

  it("without a stream and without work, ends", async () => {
    const worker = testWorker("127.0.0.1:1");
    expect(await worker.drain(60_000)).toEqual({ kind: "drained", unacknowledged: 0 });
  });
});

describe("a worker that recycles itself", () => {
  it("after so many actions drains without dropping work, however long that takes", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url, { recycleAfter: { actions: 2 } });
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.held", ["last"], { call: "1.0" }),
        dispatchOf("default.echo", [1], { call: "2.0" }),
        dispatchOf("default.echo", [2], { call: "3.0" }),
      ],
    });
    await until(() => stream.frames.some(({ draining }) => draining === true));
    const { end, signal } = await heldCall("last");
    expect(signal.aborted).toBe(false);
    end("done");
    expect(await worker.ended).toEqual({ kind: "recycled", unacknowledged: 0 });
    expect(fake.outcomes.map(({ call }) => call).toSorted()).toEqual(["1.0", "2.0", "3.0"]);
  });

  it("when it takes more memory than it may", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url, { recycleAfter: { memoryMb: 1 } });
    (await fake.stream()).send({ dispatches: [dispatchOf("default.echo", [1])] });
    expect(await worker.ended).toEqual({ kind: "recycled", unacknowledged: 0 });
    expect(worker.lines.join("\n")).toContain("Recycling after more than 1 MB of memory");
  });

  it("ends as asked when it is asked to end meanwhile", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url, { recycleAfter: { actions: 1 } });
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.held", ["endless"], { call: "1.0" }),
        dispatchOf("default.echo", [1], { call: "2.0" }),
      ],
    });
    await until(() => stream.frames.some(({ draining }) => draining === true));
    const { end } = await heldCall("endless");
    const drained = worker.drain(0);
    await until(() => ends.get("endless")?.signal.aborted);
    end(null);
    expect(await drained).toEqual({ kind: "drained", unacknowledged: 0 });
  });
});
