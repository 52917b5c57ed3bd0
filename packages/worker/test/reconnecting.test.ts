import { status } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { pb } from "@cairnjs/protocol";
import { action } from "cairnjs";
import { describe, expect, it } from "vitest";
import { Backoff } from "../src/session/backoff.ts";
import { dispatchOf, type FakeControlPlane } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("default.echo", async (value: unknown) => value);
const ends = new Map<string, (value: unknown) => void>();
let begun = 0;
action("default.held", async (key: string) => {
  begun += 1;
  return await new Promise<unknown>((end) => ends.set(key, end));
});
const endOf = (key: string): Promise<(value: unknown) => void> => until(() => ends.get(key), key);

/** Two that know each other. */
async function pair(options: { acknowledges?: boolean } = {}): Promise<[FakeControlPlane, FakeControlPlane]> {
  const [first, second] = [
    await fakeControlPlane({ id: "c-1", ...options }),
    await fakeControlPlane({ id: "c-2", ...options }),
  ];
  for (const fake of [first, second]) fake.welcome = { controlPlanes: [first.address, second.address] };
  return [first, second];
}

describe("a stream that breaks", () => {
  it("I8: ends no call: the next one begins with a hello of the same worker, what is in flight, and what is held", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    const worker = testWorker(fake.url);
    const first = await fake.stream();
    first.send({
      dispatches: [
        dispatchOf("default.held", ["long"], { call: "1.0" }),
        dispatchOf("default.echo", ["x"], { call: "2.0" }),
      ],
    });
    await until(() => first.outcomes.length === 1);
    const end = await endOf("long");
    const brokeAt = performance.now();
    first.break();
    const second = await fake.stream();
    // What is not listed within a second is lost.
    expect(performance.now() - brokeAt).toBeLessThan(1_000);
    expect(second.frames[0]!.hello!.workerId).toBe(worker.id);
    expect(second.inFlight!.map(({ call }) => call)).toEqual(["1.0", "2.0"]);
    await until(() => second.outcomes.length === 1);
    expect(second.frames.findIndex(({ inFlight }) => inFlight !== undefined)).toBeLessThan(
      second.frames.findIndex(({ outcomes }) => outcomes !== undefined),
    );
    await until(() => second.credits !== undefined);
    // Counted anew; the long one still takes its place.
    expect(second.credits).toEqual({ received: 0, free: 9 });
    fake.acknowledges = true;
    end("done");
    await until(() => second.outcomes.some(({ call }) => call === "1.0"));
    expect(begun).toBe(1);
    expect(fake.registered).toHaveLength(1);
  });

  it("is opened again when the control plane is back", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url);
    await fake.stream();
    fake.kill();
    await until(() => worker.lines.some((line) => line.includes("ECONNREFUSED")));
    await fake.restart();
    await fake.stream();
  });

  it("is waited for longer each time: 50 ms at first, 2 s at most, never all workers alike", () => {
    for (const chance of [0, 0.5, 0.999]) {
      const backoff = new Backoff(() => chance);
      const waits = Array.from({ length: 8 }, () => backoff.nextMs());
      expect(waits[0]).toBeGreaterThanOrEqual(50);
      expect(waits.every((each, index) => each <= 2_000 && each >= (waits[index - 1] ?? 0))).toBe(true);
      expect(waits.at(-1)).toBe(Math.min(2_000, 2_000 * (0.75 + chance / 2)));
      backoff.reset();
      expect(backoff.nextMs()).toBe(waits[0]);
    }
  });

  it("brings outcomes to another control plane when the one that sent the call is gone", async () => {
    const [first, second] = await pair();
    testWorker(first.url);
    const stream = await first.stream();
    await second.stream();
    stream.send({ dispatches: [dispatchOf("default.held", ["orphan"])] });
    const end = await endOf("orphan");
    first.kill();
    end("result");
    const [outcome] = await until(() => second.outcomes.length > 0 && second.outcomes);
    expect(outcome).toMatchObject({ call: "1.0", kind: "result", value: { json: '"result"' } });
  });

  it("brings outcomes that were sent on it and not acknowledged to another one at once", async () => {
    const [first, second] = await pair({ acknowledges: false });
    testWorker(first.url);
    const stream = await first.stream();
    await second.stream();
    stream.send({ dispatches: [dispatchOf("default.echo", ["x"])] });
    await until(() => first.outcomes.length === 1);
    expect(second.outcomes).toEqual([]);
    first.kill();
    await until(() => second.outcomes.length === 1);
  });

  it("a control plane that says goodbye is sent no outcome, and no credits", async () => {
    const [first, second] = await pair();
    testWorker(first.url);
    const stream = await first.stream();
    const other = await second.stream();
    stream.send({ dispatches: [dispatchOf("default.held", ["goodbye"])] });
    const end = await endOf("goodbye");
    stream.send({ goodbye: true });
    await until(() => other.credits?.free === 9);
    end("result");
    await until(() => second.outcomes.length === 1);
    expect(first.outcomes).toEqual([]);
  });
});

describe("control planes", () => {
  it("are learned from the first one, and from later frames; each has one stream", async () => {
    const [first, second] = await pair();
    testWorker(first.url);
    const stream = await first.stream();
    await second.stream();
    const third = await fakeControlPlane({ id: "c-3" });
    stream.send({ controlPlanes: [first.address, second.address, third.address] });
    await third.stream();
    expect([first, second, third].map(({ streams }) => streams.length)).toEqual([1, 1, 1]);
  });

  it("get the outcomes of the calls that they have sent, and no others", async () => {
    const [first, second] = await pair();
    testWorker(first.url);
    const [one, two] = [await first.stream(), await second.stream()];
    one.send({ dispatches: [dispatchOf("default.echo", [1], { call: "1.0" })] });
    two.send({ dispatches: [dispatchOf("default.echo", [2], { call: "2.0" })] });
    await until(() => first.outcomes.length + second.outcomes.length === 2);
    expect([first, second].map(({ outcomes }) => outcomes.map(({ call }) => call))).toEqual([["1.0"], ["2.0"]]);
  });

  it("are found by any of the addresses that are known from the beginning", async () => {
    const [first, second] = await pair();
    testWorker(first.url, { urls: ["127.0.0.1:1", `127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`] });
    await second.stream();
    await first.stream();
    expect([first, second].map(({ streams }) => streams.length)).toEqual([1, 1]);
  });

  it("behind one address: the worker keeps one stream to each, whoever answers there", async () => {
    const [first, second] = await pair();
    // An address that leads to the first one, and after that is gone to the second one.
    testWorker(first.url);
    await first.stream();
    await second.stream();
    first.kill();
    const { port } = first;
    const impostor = await fakeControlPlane({
      id: "c-2",
      port,
      welcome: { controlPlanes: [first.address, second.address] },
    });
    await until(() => impostor.streams.length > 0);
    await until(() => impostor.streams.every(({ hasEnded }) => hasEnded));
    expect((await second.stream()).hasEnded).toBe(false);
  });

  it("one that is no longer named is left alone when its stream breaks", async () => {
    const [first, second] = await pair();
    testWorker(first.url);
    const stream = await first.stream();
    await second.stream();
    first.welcome = { controlPlanes: [first.address] };
    stream.send({ controlPlanes: [first.address] });
    stream.send({ dispatches: [dispatchOf("default.echo", ["after the list"])] });
    await until(() => first.outcomes.length === 1);
    (await second.stream()).break();
    // Whoever tries again does so at about the same time.
    for (let times = 0; times < 2; times++) {
      (await first.stream()).break();
      await first.stream();
    }
    expect(second.streams).toHaveLength(1);
  });

  it("get credits where the backlog is, never more together than there is room", async () => {
    const [first, second] = await pair();
    testWorker(first.url, { capacity: 100 });
    const [one, two] = [await first.stream(), await second.stream()];
    await until(() => one.credits?.free === 50 && two.credits?.free === 50);
    one.send({ backlog: { calls: 500 } });
    await until(() => one.credits?.free === 99 && two.credits?.free === 1);
    two.send({ backlog: { calls: 500 } });
    await until(() => one.credits?.free === 50 && two.credits?.free === 50);
    one.send({ backlog: { calls: 0 } });
    await until(() => one.credits?.free === 1 && two.credits?.free === 99);
  });

  it("that refuse a worker for good before anyone has welcomed it end it, with the reason", async () => {
    const refusals = [
      { code: status.UNAUTHENTICATED, details: "There is no such token" },
      { code: 0, details: "Update the worker", cairnCode: "ProtocolTooOld" },
      { code: 0, details: "hello.namespace is missing", cairnCode: "InvalidMessage" },
    ] as const;
    for (const refuse of refusals) {
      const fake = await fakeControlPlane({ refuse });
      await expect(testWorker(fake.url).ended).rejects.toThrow(refuse.details);
    }
  });

  it("that refuse a worker without a token, or with a wrong one, do so in one line that says what to do", async () => {
    const refuse = { code: 0, details: "This control plane wants a token", cairnCode: "Unauthenticated" } as const;
    const fake = await fakeControlPlane({ refuse });
    const [without, wrong] = [testWorker(fake.url), testWorker(fake.url, { token: "t" })];
    await expect(without.ended).rejects.toThrow(/wants a token; give it by CAIRN_KEY or CAIRN_TOKEN$/);
    await expect(wrong.ended).rejects.toThrow(/what CAIRN_KEY or CAIRN_TOKEN says is no key or token of its$/);
    expect([...without.lines, ...wrong.lines]).toEqual([]);
  });

  it("that refuse a worker later are tried again: its calls go on", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    fake.refuse = { code: status.UNAUTHENTICATED, details: "The token was changed" };
    stream.break();
    await until(() => worker.lines.some((line) => line.includes("The token was changed")));
    fake.refuse = undefined;
    await fake.stream();
  });

  it("that are too old for the worker are told so, and end it", async () => {
    const fake = await fakeControlPlane({ welcome: { protocolVersion: 0 } });
    await expect(testWorker(fake.url).ended).rejects.toThrow("update the control plane before its workers");
  });

  it("that say what cannot be lose the stream, and get another", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url);
    const stream = await fake.stream();
    stream.sendRaw(create(pb.WorkResponseSchema, { dispatches: [{ action: "default.echo" }] }));
    await until(() => fake.streams.length > 1);
    expect(worker.lines.join("\n")).toContain("dispatches[0].call is missing");
    const again = await fake.stream();
    again.sendRaw(
      create(pb.WorkResponseSchema, { welcome: { controlPlaneId: "c-1", protocolVersion: 1, heartbeatIntervalMs: 1 } }),
    );
    await until(() => worker.lines.some((line) => line.includes("A welcome is the first thing")));
    await fake.stream();
  });

  it("that know another program under a version end the worker", async () => {
    const fake = await fakeControlPlane();
    fake.registerRefusal = { code: 0, details: "It is registered with another program", cairnCode: "VersionConflict" };
    await expect(testWorker(fake.url).ended).rejects.toThrow("another program");
    expect(fake.streams).toEqual([]);
  });

  it("that do not answer keep none of the others waiting", async () => {
    const [hanging, other] = [await fakeControlPlane({ id: "c-1" }), await fakeControlPlane({ id: "c-2" })];
    hanging.registerHangs = true;
    testWorker(hanging.url, { urls: [hanging.url, other.url] });
    await other.stream();
    expect(hanging.streams).toEqual([]);
  });

  it("that cannot register anything for a while are asked again before the hello", async () => {
    const fake = await fakeControlPlane();
    fake.registerRefusal = { code: 0, details: "No database", cairnCode: "Unavailable" };
    const worker = testWorker(fake.url);
    await until(() => worker.lines.some((line) => line.includes("No database")));
    expect(fake.streams).toEqual([]);
    fake.registerRefusal = undefined;
    await fake.stream();
  });
});
