import { action, currentCall } from "cairnjs";
import { describe, expect, it } from "vitest";
import { dispatchOf, type FakeControlPlane, type FakeStream } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

interface Talk {
  readonly key: string;
  readonly stream: (chunk: unknown) => Promise<void>;
  readonly end: (value: unknown) => void;
}

const talks: Talk[] = [];

action("default.talk", { timeout: "20 s" }, async (key: string) => {
  const { stream } = currentCall();
  return await new Promise<unknown>((end) => talks.push({ key, stream, end }));
});

action("default.hurry", { timeout: 30, retry: { attempts: 1 } }, async (key: string) => {
  const { stream } = currentCall();
  return await new Promise<unknown>((end) => talks.push({ key, stream, end }));
});

const talk = (key: string): Promise<Talk> => until(() => talks.find((each) => each.key === key), `the call ${key}`);
const chunksOf = (stream: FakeStream) => stream.frames.flatMap(({ chunks = [] }) => chunks);
const numbersOf = (stream: FakeStream) => chunksOf(stream).map(({ number }) => number);

async function calling(key: string, name = "default.talk"): Promise<{ fake: FakeControlPlane; stream: FakeStream }> {
  const fake = await fakeControlPlane();
  testWorker(fake.url);
  const stream = await fake.stream();
  stream.send({ dispatches: [dispatchOf(name, [key])] });
  return { fake, stream };
}

const ref = (({ runId, call, attempt, incarnation }) => ({ runId, call, attempt, incarnation }))(dispatchOf("a", []));
const take = (stream: FakeStream, number: number): void => stream.send({ chunksTaken: [{ ...ref, number }] });
const LARGE = "x".repeat(60_000);

/** Whether it is still pending after what is under way here has happened. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pause = new Promise((resolve) => setTimeout(() => resolve("pending"), 20));
  return (await Promise.race([promise, pause])) === "pending";
}

describe("what a call streams", () => {
  it("is sent at once, encoded, in order, and before its outcome", async () => {
    const { stream } = await calling("order");
    const { stream: say, end } = await talk("order");
    await say({ at: new Date(0) });
    await until(() => chunksOf(stream)[0], "the first chunk");
    expect(chunksOf(stream)).toEqual([{ ...ref, number: 1, json: '{"at":{"$date":0}}' }]);
    await say("two");
    void say("three");
    end("done");
    await until(() => stream.outcomes[0], "the outcome");
    expect(numbersOf(stream)).toEqual([1, 2, 3]);
    const last = stream.frames.findIndex(({ chunks = [] }) => chunks.some(({ number }) => number === 3));
    expect(stream.frames.findIndex(({ outcomes }) => outcomes !== undefined)).toBeGreaterThanOrEqual(last);
    await expect(say("late")).rejects.toThrow("its attempt has ended");
  });

  it("waits for room: of what is not taken at most 256 KB are sent", async () => {
    const { stream } = await calling("room");
    const { stream: say, end } = await talk("room");
    for (let index = 0; index < 4; index++) await say(LARGE);
    const fifth = say(LARGE);
    expect(await isPending(fifth)).toBe(true);
    await until(() => numbersOf(stream).length === 4, "four chunks");
    take(stream, 1);
    await fifth;
    await until(() => numbersOf(stream).length === 5, "the fifth");
    // What nobody awaits is sent before the outcome all the same.
    void say(LARGE);
    end("done");
    expect(await isPending(until(() => stream.outcomes[0], "the outcome"))).toBe(true);
    take(stream, 5);
    await until(() => stream.outcomes[0], "the outcome");
    expect(numbersOf(stream)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("is sent again after a broken stream, as far as it was not taken", async () => {
    const { fake, stream } = await calling("broken");
    const { stream: say, end } = await talk("broken");
    for (let index = 1; index <= 4; index++) await say(index);
    await until(() => numbersOf(stream).length === 4, "four chunks");
    take(stream, 2);
    stream.send({ askInFlight: true });
    await until(() => stream.frames.filter(({ inFlight }) => inFlight !== undefined).length === 2, "the answer");
    stream.break();
    await say(5);
    const next = await fake.stream();
    await until(() => numbersOf(next).length === 3, "three chunks");
    expect(numbersOf(next)).toEqual([3, 4, 5]);
    end("done");
    await until(() => next.outcomes[0], "the outcome");
  });

  it("goes to another control plane when the first says goodbye or is gone", async () => {
    const second = await fakeControlPlane({ id: "c-2" });
    const first = await fakeControlPlane({ welcome: { controlPlanes: [second.address] } });
    testWorker(first.url);
    const stream = await first.stream();
    const other = await second.stream();
    stream.send({ dispatches: [dispatchOf("default.talk", ["moves"])] });
    const { stream: say, end } = await talk("moves");
    await say("one");
    await until(() => numbersOf(stream).length === 1, "the first chunk");
    expect(numbersOf(other)).toEqual([]);
    stream.send({ goodbye: true });
    await until(() => numbersOf(other).length === 1, "it is said again");
    await say("two");
    await until(() => numbersOf(other).length === 2, "the second");
    take(other, 2);
    first.kill();
    await say("three");
    end("done");
    await until(() => other.outcomes[0], "the outcome");
    expect(numbersOf(other)).toEqual([1, 2, 3]);
    expect(numbersOf(stream)).toEqual([1]);
  });

  it("waits while no control plane is there, until the call is cancelled", async () => {
    const { fake, stream } = await calling("away");
    const { stream: say } = await talk("away");
    fake.kill();
    for (let index = 0; index < 4; index++) await say(LARGE);
    const waiting = say(LARGE);
    expect(await isPending(waiting)).toBe(true);
    await fake.restart();
    const next = await fake.stream();
    await until(() => numbersOf(next).length === 4, "four chunks");
    expect(await isPending(waiting)).toBe(true);
    next.send({ cancels: [{ ...ref, reason: "Cancelled: enough" }] });
    await expect(waiting).rejects.toThrow("Cancelled: enough");
    await expect(say("more")).rejects.toThrow("Cancelled: enough");
    expect(numbersOf(stream)).toEqual([]);
  });

  it("who waits when the time is over is told so", async () => {
    const { stream } = await calling("hurry", "default.hurry");
    const { stream: say } = await talk("hurry");
    const all = Array.from({ length: 6 }, () => say(LARGE));
    await expect(all[5]).rejects.toThrow("took longer");
    await until(() => stream.outcomes[0], "the outcome");
    expect(numbersOf(stream)).toEqual([1, 2, 3, 4]);
  });
});
