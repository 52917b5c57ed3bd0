import { callKey } from "@cairnjs/worker/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallRef } from "@cairnjs/schemas";
import { action, FakeWorker, settled, testDispatch, TestHub } from "../support/test-hub.ts";

type Op =
  | { readonly kind: "dispatch"; readonly action: number; readonly priority: number }
  | { readonly kind: "credit"; readonly worker: number; readonly free: number }
  | { readonly kind: "answer" | "answerTwice" | "drop"; readonly worker: number; readonly which: number }
  | { readonly kind: "break" | "forgetful" | "connect" | "drain"; readonly worker: number }
  | { readonly kind: "abort" | "adopt"; readonly which: number }
  | { readonly kind: "pass"; readonly ms: number };

const ACTIONS = ["test.a", "test.b"];
const WORKERS = 3;
const worker = fc.nat(WORKERS - 1);
const which = fc.nat(20);

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("dispatch" as const),
      action: fc.nat(1),
      priority: fc.integer({ min: -1, max: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("credit" as const), worker, free: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("answer" as const, "answerTwice" as const, "drop" as const),
      worker,
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("break" as const, "forgetful" as const, "connect" as const), worker }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("abort" as const, "adopt" as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 100, max: 6_000 }) }) },
);

/** An owner of runs: it makes another try of what is lost, asks again for what is given back, and commits at once what has ended. */
class Model {
  readonly test = new TestHub();
  readonly workers: FakeWorker[];
  /** Open calls, by key. */
  readonly open = new Map<string, ReturnType<typeof testDispatch>>();
  readonly answered = new Map<string, number>();
  readonly lost = new Map<string, number>();
  /** Outcomes that workers hold, by worker. */
  readonly held = new Map<FakeWorker, CallRef[]>();

  constructor() {
    this.workers = Array.from(
      { length: WORKERS },
      (_, index) =>
        new FakeWorker(this.test, { workerId: `w-${index}`, actions: ACTIONS.slice(0, (index % 2) + 1).map(action) }),
    );
  }

  /** What the runloop does with what it is told. */
  async hear(): Promise<void> {
    for (;;) {
      await settled();
      const reports = this.test.reports.splice(0);
      const strangers = this.test.strangers.splice(0);
      const givenBack = this.test.unserved.splice(0).filter(({ againInMs }) => againInMs !== undefined);
      if (reports.length + strangers.length + givenBack.length === 0) return;
      for (const { outcome } of reports) {
        const key = callKey(outcome);
        if (this.open.has(key)) {
          const isOlder = outcome.attempt < this.open.get(key)!.attempt;
          if (isOlder) this.test.hub.abort([outcome]);
          this.answered.set(key, (this.answered.get(key) ?? 0) + 1);
          this.open.delete(key);
        }
        this.test.hub.acknowledge([outcome]);
      }
      for (const { call } of strangers) {
        const open = this.open.get(callKey(call));
        if (open?.attempt !== call.attempt) continue;
        const next = { ...open, attempt: open.attempt + 1 };
        this.lost.set(callKey(call), next.attempt);
        this.open.set(callKey(call), next);
        this.test.hub.dispatch("loop", [next]);
      }
      for (const call of givenBack) {
        const open = this.open.get(callKey(call));
        if (open?.attempt === call.attempt) this.test.hub.dispatch("loop", [open]);
      }
    }
  }

  async answer(from: FakeWorker, call: CallRef): Promise<void> {
    const { incarnation, runId, call: id, attempt } = call;
    this.held.set(from, [...(this.held.get(from) ?? []), { incarnation, runId, call: id, attempt }]);
    await from.answer(call);
  }

  async connect(one: FakeWorker): Promise<void> {
    if (one.session !== null) return;
    one.connect();
    const held = this.held.get(one) ?? [];
    await one.say({
      inFlight: {
        calls: [...one.running, ...held].map(({ incarnation, runId, call, attempt }) => ({
          incarnation,
          runId,
          call,
          attempt,
        })),
        more: false,
      },
    });
    for (const call of held) await one.answer(call);
  }

  async apply(step: Op): Promise<void> {
    const { test, workers } = this;
    if ("worker" in step) await this.#applyTo(workers[step.worker]!, step);
    else if (step.kind === "dispatch") {
      const call = testDispatch({ action: ACTIONS[step.action]!, priority: step.priority });
      this.open.set(callKey(call), call);
      test.hub.dispatch("loop", [call]);
    } else if (step.kind === "pass") await test.pass(step.ms);
    else await this.#applyToCall(step);
    await this.hear();
    for (const one of workers) {
      const done = new Set([...one.acknowledged, ...one.cancels].map((each) => `${callKey(each)}/${each.attempt}`));
      this.held.set(
        one,
        (this.held.get(one) ?? []).filter((each) => !done.has(`${callKey(each)}/${each.attempt}`)),
      );
    }
  }

  async #applyToCall(step: Extract<Op, { readonly which: number; readonly kind: "abort" | "adopt" }>): Promise<void> {
    const call = [...this.open.values()][step.which];
    if (call === undefined) return;
    if (step.kind === "abort") {
      this.open.delete(callKey(call));
      this.test.hub.abort([call]);
    } else {
      this.test.hub.reportAgain("loop");
      this.test.hub.adopt("loop", [...this.open.values()]);
    }
  }

  async #applyTo(one: FakeWorker, step: Extract<Op, { readonly worker: number }>): Promise<void> {
    switch (step.kind) {
      case "credit":
        return one.session === null ? undefined : one.credit(step.free);
      case "break":
        return one.break();
      case "forgetful":
        // As if its process had ended, and another one had begun under the same id.
        await one.break();
        one.running = [];
        return void this.held.delete(one);
      case "connect":
        return this.connect(one);
      case "drain":
        return one.say({ draining: true });
      default: {
        const call = one.running[step.which];
        if (call === undefined) return;
        if (step.kind === "drop") return one.take(call);
        await this.answer(one, call);
        if (step.kind === "answerTwice") await this.answer(one, call);
      }
    }
  }

  /** All streams work again: everything must end. */
  async rescue(): Promise<void> {
    for (const one of this.workers) one.running = [];
    for (const one of this.workers) await this.connect(one);
    await this.hear();
    const helper = new FakeWorker(this.test, { workerId: "helper", actions: ACTIONS.map(action), capacity: 10_000 });
    for (let round = 0; round < 200 && this.open.size > 0; round++) {
      await helper.credit(1_000);
      await this.test.pass(1_000);
      await this.hear();
      for (const call of [...helper.running]) await helper.answer(call);
      for (const one of this.workers) for (const call of [...one.running]) await one.answer(call);
      await this.hear();
    }
  }
}

describe("whatever streams break", () => {
  it("every call is answered once, and no worker is sent more than it said", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 40 }), async (ops) => {
        const model = new Model();
        for (const step of ops) await model.apply(step);
        await model.rescue();
        expect(model.open.size).toBe(0);
        expect([...model.answered.values()].every((count) => count === 1)).toBe(true);
        expect(model.workers.some(({ overrun }) => overrun)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
