import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, settled, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

describe("heartbeat details", () => {
  it("reach the next try, also from another control plane", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ heartbeats: [{ ...idOf(call), details: { json: '{"done":7}' } }] });
    await worker.break();
    await test.pass(1_100);
    expect(test.strangers).toHaveLength(1);
    const elsewhere = new TestHub();
    for (const [key, each] of test.details) elsewhere.details.set(key, each);
    const next = { ...call, attempt: 2 };
    for (const each of [test, elsewhere]) {
      const other = new FakeWorker(each, { workerId: "w-2", actions: A });
      await other.credit(1);
      each.hub.dispatch("loop", [next]);
      await settled();
      expect(other.running[0]!.heartbeatDetails).toEqual({ json: '{"done":7}' });
    }
  });

  it("are forgotten when the call has a result", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ heartbeats: [{ ...idOf(call), details: { json: "1" } }] });
    await test.pass(600);
    expect(test.details.size).toBe(1);
    await worker.answer(call);
    test.hub.acknowledge([call]);
    await test.pass(600);
    expect(test.details.size).toBe(0);
  });

  it("of a call that is not the worker's are not kept", async () => {
    const { test, call } = await hubWithCall();
    const liar = new FakeWorker(test, { workerId: "w-2", actions: A });
    await liar.say({ heartbeats: [{ ...idOf(call), details: { json: "1" } }] });
    await test.pass(600);
    expect(test.details.size).toBe(0);
  });
});
