import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, settled } from "../support/test-hub.ts";

const A = [action("test.a")];

describe("a broken stream", () => {
  it("I8: what its worker had is lost a second later, and not before", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(900);
    expect(test.strangers).toEqual([]);
    await test.pass(200);
    expect(test.strangers).toEqual([{ owner: "loop", call: idOf(call) }]);
  });

  it("I8: a worker that is back in time and lists its calls keeps them", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(900);
    worker.connect();
    await test.pass(300);
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(5_000);
    expect(test.strangers).toEqual([]);
    await worker.answer(call);
    expect(test.reports).toHaveLength(1);
  });

  it("I8: of a worker that is back, what it does not list is lost at once", async () => {
    const { test, worker } = await hubWithCall();
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [], more: false } });
    expect(test.strangers).toHaveLength(1);
  });

  it("a list over several frames counts when it is whole", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [], more: true } });
    expect(test.strangers).toEqual([]);
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(3_000);
    expect(test.strangers).toEqual([]);
  });

  it("a second stream of the same worker takes the place of the first", async () => {
    const { test, worker, call } = await hubWithCall();
    const again = new FakeWorker(test, { workerId: "w-1", actions: A });
    expect(worker.closed).toMatchObject({ code: "Closed" });
    await again.say({ inFlight: { calls: [call], more: false } });
    await again.answer(call);
    expect(test.reports).toHaveLength(1);
  });

  it("of a worker that was draining loses what it had at once, if it has ended it", async () => {
    const { test, worker } = await hubWithCall();
    await worker.say({ draining: true });
    await worker.finish();
    expect(test.strangers).toHaveLength(1);
  });

  it("of a worker that is draining loses nothing, if it breaks and is there again", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ draining: true });
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(3_000);
    expect(test.strangers).toEqual([]);
  });

  it("the result of a try that was given up counts, if it comes before that of its successor", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(1_100);
    test.hub.dispatch("loop", [{ ...call, attempt: 2 }]);
    worker.connect();
    await worker.answer(call, '"late"');
    expect(test.reports.map(({ outcome: { attempt, value } }) => [attempt, value])).toEqual([[1, '"late"']]);
    test.hub.abort([call]);
    test.hub.acknowledge([call]);
    await settled();
    expect(worker.acknowledged.map(({ attempt }) => attempt)).toEqual([1]);
  });
});
