import { jobProgram, programHash, validateProgram } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import { decodeSnapshot, deliver, encodeState, loadProgram, newMachine, proceed } from "../src/index.ts";

const image = loadProgram(jobProgram("billing.refund"));
const runId = "01890a5d-ac96-774b-bcce-b302099a8057";

const about = { id: runId, type: "billing.refund", version: "1", namespace: "default", parent: null, tags: [] };
const info = { ...about, attempt: 1, startedAt: 1_000 };
const START = { kind: "start", at: 1_000, value: '{"order":7}', seed: runId, info } as const;

/** A job after its start: the call is open. */
function started() {
  const machine = newMachine(image);
  const delivery = deliver(machine, START, 100_000);
  return { machine, delivery };
}

describe("the program of a job", () => {
  it("is valid, and another one for each action", () => {
    expect(() => validateProgram(jobProgram("a"))).not.toThrow();
    expect(programHash(jobProgram("a"))).not.toBe(programHash(jobProgram("b")));
  });

  it("calls the action with the input, and ends with its result", () => {
    const { machine, delivery } = started();
    expect(delivery.effects).toMatchObject([{ kind: "call", action: "billing.refund", args: '[{"order":7}]' }]);
    const { id: call } = delivery.effects[0] as { id: string };
    const { effects } = deliver(machine, { kind: "result", at: 1_001, call, value: '"done"' }, 100_000);
    expect(effects).toMatchObject([{ kind: "end", status: "succeeded", value: '"done"' }]);
  });

  it("fails with the error of the action, also after it was restored", () => {
    const { machine, delivery } = started();
    const { id: call } = delivery.effects[0] as { id: string };
    const restored = decodeSnapshot(image, [encodeState(machine).bytes]);
    const error = JSON.stringify({ $error: { names: ["RangeError", "Error"], message: "no" } });
    const { effects } = deliver(restored, { kind: "error", at: 1_001, call, error }, 100_000);
    expect(effects).toMatchObject([{ kind: "end", status: "failed" }]);
  });

  it("does the same when it is restored between any two instructions", () => {
    const { delivery } = started();
    let machine = newMachine(image);
    let next = deliver(machine, START, 1);
    let restored = 0;
    for (; !next.done; next = proceed(machine, 1), restored++) {
      machine = decodeSnapshot(image, [encodeState(machine).bytes]);
    }
    expect(restored).toBeGreaterThan(0);
    expect(next.effects).toEqual(delivery.effects);
  });

  it("is cancelled while its call is open", () => {
    const { machine } = started();
    const { effects } = deliver(machine, { kind: "cancel", at: 1_001, reason: "enough" }, 100_000);
    expect(effects.map(({ kind }) => kind)).toEqual(["abandon", "end"]);
    expect(effects.at(-1)).toMatchObject({ status: "cancelled" });
  });
});
