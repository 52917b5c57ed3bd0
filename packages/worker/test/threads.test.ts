import { describe, expect, it } from "vitest";
import { dispatchOf, type FakeStream } from "./support/fake-control-plane.ts";
import { fakeControlPlane } from "./support/test-worker.ts";
import { until } from "./support/until.ts";
import { type WorkerProcess, workerProcess } from "./support/worker-process.ts";

async function opened(): Promise<{ stream: FakeStream; worker: WorkerProcess }> {
  const fake = await fakeControlPlane();
  const worker = workerProcess({
    CAIRN_MODULES: "threads.ts,greetings.ts",
    CONTROL_PLANE_GRPC_URL: fake.url,
    CAIRN_WORKER_THREADS: "2",
  });
  return { stream: await fake.stream(), worker };
}

const beatsOf = (stream: FakeStream) => stream.frames.flatMap(({ heartbeats = [] }) => heartbeats);
const errorName = (value: object): string | undefined =>
  /"names":\["(\w+)"/.exec(JSON.stringify(value).replaceAll("\\", ""))?.[1];

describe('actions with isolate: "thread"', () => {
  it("run in threads that have loaded the same modules; arguments and results are copied as ever", async () => {
    const { stream } = await opened();
    expect(stream.frames[0]!.hello!.actions.find(({ name }) => name === "default.sum")?.isolate).toBe("thread");
    stream.send({
      dispatches: [[1, 2], [3], []].map((numbers, index) =>
        dispatchOf("default.sum", [numbers], { call: `${index}.0` }),
      ),
    });
    await until(() => stream.outcomes.length === 3);
    const totals = stream.outcomes.toSorted((a, b) => a.call.localeCompare(b.call)).map(({ value }) => value);
    expect(totals).toEqual([3, 3, 0].map((total) => ({ json: JSON.stringify({ total, isMainThread: false }) })));
  });

  it("are ended when their time is over, though they never listen; others go on meanwhile", async () => {
    const { stream } = await opened();
    stream.send({
      dispatches: [
        dispatchOf("default.spin", [], { call: "1.0" }),
        dispatchOf("default.spin", [], { call: "2.0" }),
        // The time of the third begins when it has a thread.
        dispatchOf("default.sum", [[1]], { call: "3.0" }),
        dispatchOf("default.greet", ["Ada"], { call: "4.0" }),
      ],
    });
    await until(() => stream.outcomes.length === 4);
    const outcomes = stream.outcomes.toSorted((a, b) => a.call.localeCompare(b.call));
    expect(outcomes.map(({ kind, value }) => (kind === "error" ? errorName(value) : kind))).toEqual([
      "ActionTimeout",
      "ActionTimeout",
      "result",
      "result",
    ]);
    expect(outcomes[0]!.retry).toMatchObject({ attempts: 2 });
    expect(stream.outcomes[0]!.call).toBe("4.0");
  });

  it("tell how far they are, and hear that nobody waits", async () => {
    const { stream } = await opened();
    const told = dispatchOf("default.listens", [7], {
      call: "1.0",
      attempt: 2,
      heartbeatDetails: { json: '"page 3"' },
    });
    stream.send({ dispatches: [told, dispatchOf("default.endless", [], { call: "2.0" })] });
    await until(() => beatsOf(stream).filter(({ details }) => details !== null).length === 2);
    const details = beatsOf(stream).find(({ call }) => call === "1.0")?.details;
    expect(details).toEqual({ json: '{"from":7,"heartbeatDetails":"page 3","attempt":2}' });
    const { runId, incarnation } = told;
    stream.send({
      cancels: [
        { runId, incarnation, call: "1.0", attempt: 2, reason: "cancelled" },
        { runId, incarnation, call: "2.0", attempt: 1, reason: "cancelled" },
      ],
    });
    // Both threads are free again, also the one whose handler hears of nothing.
    stream.send({ dispatches: ["3.0", "4.0"].map((call) => dispatchOf("default.sum", [[1]], { call })) });
    await until(() => stream.outcomes.length === 2);
    expect(stream.outcomes.map(({ call }) => call).toSorted()).toEqual(["3.0", "4.0"]);
  });

  it("throw as others do; a thread that goes down fails its try alone, which is made again", async () => {
    const { stream, worker } = await opened();
    stream.send({
      dispatches: [
        dispatchOf("default.throws", [true], { call: "1.0" }),
        dispatchOf("default.throws", [false], { call: "2.0" }),
        dispatchOf("default.dies", [], { call: "3.0" }),
      ],
    });
    await until(() => stream.outcomes.length === 3);
    const outcomes = stream.outcomes.toSorted((a, b) => a.call.localeCompare(b.call));
    expect(outcomes.map(({ value, retry }) => [errorName(value), retry?.attempts])).toEqual([
      ["RangeError", undefined],
      ["TypeError", 3],
      ["Error", 3],
    ]);
    stream.send({ dispatches: [dispatchOf("default.sum", [[1]], { call: "4.0" })] });
    await until(() => stream.outcomes.length === 4);
    worker.child.kill("SIGTERM");
    expect(await worker.exit).toBe(0);
  });

  it("stream as others do: in order, before their outcome, and no more than there is room for", async () => {
    const { stream } = await opened();
    const call = dispatchOf("default.talks", [20, 40_000]);
    stream.send({ dispatches: [call] });
    const { runId, call: id, attempt, incarnation } = call;
    const numbers = () => stream.frames.flatMap(({ chunks = [] }) => chunks).map(({ number }) => number);
    // 256 KB: six of them fit.
    for (let number = 6; number <= 18; number += 6) {
      await until(() => numbers().length >= number);
      expect(numbers().length).toBe(number);
      expect(stream.outcomes).toEqual([]);
      stream.send({ chunksTaken: [{ runId, call: id, attempt, incarnation, number }] });
    }
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.value).toEqual({ json: "20" });
    expect(numbers()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});
