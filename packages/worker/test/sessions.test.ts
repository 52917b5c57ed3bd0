import { readFileSync } from "node:fs";
import { action, currentCall, RunCancelled } from "cairnjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("media.encode", async () => "encoded");
action("default.echo", async (value: unknown) => value);
action("default.checked", { input: z.object({ id: z.string() }), output: z.number() }, async ({ id }) => {
  ran.push(id);
  return id === "wrong" ? ("no number" as unknown as number) : 1;
});
action("default.flaky", { retry: { attempts: 7, baseMs: 0.5, capMs: Number.POSITIVE_INFINITY } }, async () => {
  throw new Error("not yet");
});

interface Held {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly heartbeat: (details?: unknown) => void;
  readonly call: ReturnType<typeof currentCall>;
  readonly end: (value: unknown) => void;
}
const held: Held[] = [];
const ran: string[] = [];
action("default.held", async (key: string) => {
  const call = currentCall();
  // As handlers do it.
  const { signal, heartbeat } = call;
  return await new Promise<unknown>((end) => {
    held.push({ key, signal, heartbeat, call, end });
  });
});
const heldCall = (key: string): Promise<Held> => until(() => held.find((each) => each.key === key), key);

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

describe("a worker's stream", () => {
  it("begins with a hello that says all, after its programs and actions are registered", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url, { token: "secret", prefixes: ["billing.", ""], capacity: 7 });
    const stream = await fake.stream();
    const { hello } = stream.frames[0]!;
    expect(hello).toMatchObject({
      protocolVersion: 1,
      workerId: worker.id,
      namespace: "default",
      prefixes: ["billing.", ""],
      capacity: 7,
      threads: 2,
      language: "typescript",
      libraryVersion: manifest.version,
    });
    const checked = hello!.actions.find(({ name }) => name === "default.checked");
    expect(JSON.parse(checked!.inputSchema!)).toMatchObject({ type: "array" });
    expect(checked).toMatchObject({ retry: { attempts: 3, baseMs: 1_000, capMs: 300_000 }, isolate: "none" });
    expect(fake.registered.flatMap(({ actions }) => actions).map(({ name }) => name)).toContain("default.echo");
    expect(fake.tokens).toEqual(["Bearer secret"]);
    expect(stream.inFlight).toEqual([]);
    await until(() => stream.credits !== undefined);
    expect(stream.credits).toEqual({ received: 0, free: 7 });
  });

  it("announces what its prefixes name, and registers all that can be started", async () => {
    const fake = await fakeControlPlane();
    const worker = testWorker(fake.url, { prefixes: ["media."] });
    const { hello } = (await fake.stream()).frames[0]!;
    expect(hello!.actions.map(({ name }) => name)).toEqual(["media.encode"]);
    expect(fake.registered.flatMap(({ actions }) => actions).map(({ name }) => name)).toContain("default.echo");
    expect(worker.lines.join()).not.toContain("nothing will run");
    expect(testWorker(fake.url, { prefixes: ["medai."] }).lines).toContain(
      "No action and no workflow here has a name that begins with medai.: nothing will run here",
    );
  });

  it("announces all that it has if nobody has said what it serves", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url, { prefixes: null });
    const { hello } = (await fake.stream()).frames[0]!;
    expect(hello!.prefixes).toEqual(["default."]);
    expect(hello!.actions.map(({ name }) => name)).toEqual(expect.arrayContaining(["default.echo", "media.encode"]));
  });

  it("brings results, in one frame if they are ready together, and says what may be sent", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({
      dispatches: ["a", "b", "c"].map((value, index) => dispatchOf("default.echo", [value], { call: `${index}.0` })),
    });
    await until(() => stream.outcomes.length === 3);
    expect(stream.outcomes.map(({ value }) => value)).toEqual(['"a"', '"b"', '"c"'].map((json) => ({ json })));
    expect(stream.frames.filter(({ outcomes }) => outcomes !== undefined)).toHaveLength(1);
    await until(() => stream.credits?.received === 3);
    expect(stream.credits).toEqual({ received: 3, free: 10 });
  });

  it("brings texts that UTF-8 cannot carry as they are", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    const odd = "half \ud800 and \u0000";
    stream.send({ dispatches: [dispatchOf("default.echo", [odd])] });
    const [outcome] = await until(() => stream.outcomes.length > 0 && stream.outcomes);
    expect(JSON.parse((outcome!.value as { json: string }).json)).toBe(odd);
  });

  it("checks input before the handler and output after it: what does not fit is not tried again", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.checked", [{ id: 5 }], { call: "1.0" }),
        dispatchOf("default.checked", [{ id: "wrong" }], { call: "2.0" }),
        dispatchOf("default.nothing", [], { call: "3.0" }),
        dispatchOf("default.flaky", [], { call: "4.0" }),
      ],
    });
    await until(() => stream.outcomes.length === 4);
    const outcomes = stream.outcomes.toSorted((a, b) => a.call.localeCompare(b.call));
    const names = outcomes.map(({ value }) => /"names":\["(\w+)"/.exec("json" in value ? value.json : "")?.[1]);
    expect(names).toEqual(["InvalidInput", "InvalidOutput", "NoHandlerRegistered", "Error"]);
    expect(outcomes.map(({ kind, retry }) => [kind, retry?.attempts])).toEqual([
      ["error", undefined],
      ["error", undefined],
      ["error", undefined],
      ["error", 7],
    ]);
    // Whole milliseconds of at most 100 years.
    expect(outcomes[3]!.retry).toEqual({ attempts: 7, baseMs: 1, capMs: 3_155_760_000_000 });
    expect(ran).toEqual(["wrong"]);
  });

  it("tells the handler what it may know of its try", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    const deadlineMs = Date.UTC(2030, 0, 1);
    stream.send({
      dispatches: [
        dispatchOf("default.held", ["knows"], {
          call: "9.1",
          attempt: 3,
          deadlineMs,
          idempotencyKey: "a key",
          heartbeatDetails: { json: '{"page":{"$date":0}}' },
        }),
      ],
    });
    const { call, end } = await heldCall("knows");
    expect([call.call, call.attempt, call.idempotencyKey, call.action]).toEqual(["9.1", 3, "a key", "default.held"]);
    expect(call.deadline).toEqual(new Date(deadlineMs));
    expect(call.heartbeatDetails).toEqual({ page: new Date(0) });
    end("done");
    await until(() => stream.outcomes.length === 1);
  });

  it("aborts a call that nobody waits for, and says nothing of it", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    const dispatch = dispatchOf("default.held", ["cancelled"]);
    stream.send({ dispatches: [dispatch] });
    const { signal, end } = await heldCall("cancelled");
    expect(signal.aborted).toBe(false);
    const { incarnation, runId, call, attempt } = dispatch;
    stream.send({ cancels: [{ incarnation, runId, call, attempt, reason: "the run was cancelled" }] });
    await until(() => signal.aborted);
    expect(signal.reason).toBeInstanceOf(RunCancelled);
    expect((signal.reason as Error).message).toBe("the run was cancelled");
    end("too late");
    stream.send({ dispatches: [dispatchOf("default.echo", [1], { call: "2.0" })] });
    await until(() => stream.outcomes.length > 0);
    expect(stream.outcomes.map(({ call: id }) => id)).toEqual(["2.0"]);
  });

  it("runs a try once, however often it is sent", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    testWorker(fake.url);
    const stream = await fake.stream();
    const dispatch = dispatchOf("default.held", ["once"]);
    stream.send({ dispatches: [dispatch, dispatch] });
    const { end } = await heldCall("once");
    end("first");
    await until(() => stream.outcomes.length > 0);
    stream.send({ dispatches: [dispatch] });
    await until(() => stream.outcomes.length > 1);
    expect(held.filter(({ key }) => key === "once")).toHaveLength(1);
    expect(stream.outcomes[1]).toEqual(stream.outcomes[0]);
  });

  it("sends heartbeats of running calls, and details at once", async () => {
    const fake = await fakeControlPlane({ welcome: { heartbeatIntervalMs: 50 } });
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.held", ["beats"])] });
    const { heartbeat, end } = await heldCall("beats");
    const beats = () => stream.frames.flatMap(({ heartbeats = [] }) => heartbeats);
    await until(() => beats().length >= 2);
    heartbeat({ page: 4 });
    await until(() => beats().some(({ details }) => details !== null));
    heartbeat();
    const before = beats().length;
    await until(() => beats().length > before + 1);
    expect(beats().filter(({ details }) => details !== null)).toHaveLength(1);
    expect(beats().find(({ details }) => details !== null)?.details).toEqual({ json: '{"page":4}' });
    end(null);
    await until(() => stream.outcomes.length === 1);
    const after = beats().length;
    stream.send({ dispatches: [dispatchOf("default.held", ["beats too"], { call: "2.0" })] });
    await until(() => beats().length > after + 1);
    expect(
      new Set(
        beats()
          .slice(after)
          .map(({ call }) => call),
      ),
    ).toEqual(new Set(["2.0"]));
    (await heldCall("beats too")).end(null);
  });

  it("lists what it has when it is asked, in lists of 1,000, and sends outcomes again", async () => {
    const fake = await fakeControlPlane({ acknowledges: false });
    testWorker(fake.url, { capacity: 5_000 });
    const stream = await fake.stream();
    const dispatches = Array.from({ length: 1_100 }, (_, index) =>
      dispatchOf("default.echo", [index], { call: `${index}.0` }),
    );
    stream.send({ dispatches: dispatches.slice(0, 1_000) });
    stream.send({ dispatches: dispatches.slice(1_000) });
    await until(() => stream.outcomes.length === 1_100);
    const before = stream.frames.length;
    stream.send({ askInFlight: true });
    await until(() => stream.outcomes.length === 2_200);
    const lists = stream.frames.slice(before).flatMap(({ inFlight }) => inFlight ?? []);
    expect(lists.map(({ calls, more }) => [calls.length, more])).toEqual([
      [1_000, true],
      [100, false],
    ]);
  });
});
