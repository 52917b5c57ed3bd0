import { afterEach, describe, expect, it, vi } from "vitest";
import { ActionTimeout, InvalidInput, NotCompiled, RunCancelled, workflow } from "../src/index.ts";
import { checkRestore, everySchedule, mock, NotMocked, Stuck, testRun, type TestRun } from "../src/testing/index.ts";
import {
  approved,
  charge,
  Declined,
  doubled,
  forever,
  hasty,
  holding,
  order,
  polite,
  race,
  refund,
  remind,
  remindAll,
  send,
  settle,
  startForever,
} from "./workflows/shop.ts";

const input = { cents: 500, to: "ada" };
const signals = { approved: [{ by: "ann" }] };

describe("a test run", () => {
  it("plays a workflow to its end with its own actions and steps", async () => {
    const run = testRun(order, { input, signals });
    expect(await run.result).toBe("pay-500");
    expect(run.status).toBe("succeeded");
    expect(run.called(send)).toEqual([["ada", "Your order of 500 cents"]]);
    expect(run.emitted).toEqual([{ type: "shop.ordered.v1", data: { payment: "pay-500" }, at: run.now }]);
    expect(run.progress).toEqual(["charged"]);
    expect(run.logs).toEqual([{ level: "info", args: ["approved by", "ann"], at: new Date("2026-01-01") }]);
    expect(run.now).toEqual(new Date("2026-01-01T02:00:00Z"));
    expect(run.step("order/charge")).toMatchObject({
      action: "shop.charge",
      args: [500],
      result: { payment: "pay-500" },
      status: "succeeded",
      attempts: [{ at: new Date("2026-01-01") }],
    });
  });

  it("throws the run's error with its class and properties, and where it came from", async () => {
    const run = testRun(order, { input, startAt: new Date(0) });
    const error = await run.result.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Declined);
    expect(error).toMatchObject({ code: 408, message: "declined with 408" });
    expect((error as Error).stack).toMatch(
      /^Error: declined with 408\n {4}at Declined [^\n]*\n {4}at order \(.*workflows\/shop\.ts:\d+:\d+\)/,
    );
    expect(run.compensations.map(({ action, args }) => [action, args])).toEqual([["shop.refund", ["pay-500"]]]);
    expect(run.now).toEqual(new Date(3 * 86_400_000));
  });

  it("keeps the stacks that errors of actions and mocks had, also where they caused another", async () => {
    const thrower = async (): Promise<never> => {
      throw new RangeError("no line", { cause: new Error("unplugged") });
    };
    const run = testRun(settle, { input: 5, actions: [mock(charge, thrower)] });
    await run.result;
    const step = run.step(charge);
    const thrown = step.error as Error;
    expect(thrown.stack).toMatch(/^RangeError: no line\n {4}at thrower \(.*test-run\.test\.ts:\d+/);
    expect((thrown.cause as Error).stack).toMatch(/unplugged\n {4}at thrower/);
    expect(JSON.stringify(step)).not.toContain("stack");
    const failing = testRun(polite, { actions: [mock(send, thrower)], retry: { attempts: 1 } });
    const error = (await failing.result.catch((thrown: unknown) => thrown)) as Error;
    expect(error.stack).toMatch(/^RangeError: no line\n {4}at thrower \(.*test-run\.test\.ts:\d+/);
    expect(Object.keys(error)).toEqual([]);
  });

  it("names the variable that a step cannot take with it, as natively", async () => {
    const machine = await testRun(holding).result;
    expect(machine).toEqual(await holding());
    expect(machine).toEqual([
      'held.by.get("db")',
      expect.stringMatching(/^held\.by\.get\("db"\) cannot be stored: it is/),
    ]);
  });

  it("refuses what is not compiled, and what is no workflow", () => {
    const late = workflow("late", async () => 1);
    expect(() => testRun(late)).toThrow(NotCompiled);
    expect(() => Reflect.apply(testRun, undefined, [send])).toThrow("takes a workflow");
  });

  it.each([
    [
      { actions: { "shop.sned": async () => "" } },
      'no action, child or step of shop.order called "shop.sned"',
      "shop.send",
    ],
    [{ signals: { aproved: [1] } }, 'no signal of shop.order called "aproved"', "approved"],
    [{ failures: [{ at: "shop.chrage", error: 1 }] }, 'no step of shop.order called "shop.chrage"', "shop.charge"],
    [{ cancel: { before: "order/chrage" } }, 'no step of shop.order called "order/chrage"', "order/charge"],
    [{ singals: {} }, 'no option of testRun() called "singals"', "signals"],
  ])("refuses a name that nothing has, which would be passed over: %o", (options, message, meant) => {
    const start = (): unknown => testRun(order, { input, ...options });
    expect(start).toThrow(message);
    expect(start).toThrow(`Did you mean "${meant}"?`);
  });

  it("says what it waits for when nothing can happen", async () => {
    const run = testRun(settle, { input: 1, actions: [mock.never(charge)], retry: { attempts: 1 } });
    expect(await run.result).toContain("ActionTimeout");
    const stuck = testRun(remind, { input: "ada", actions: [mock.never(send)] });
    await expect(stuck.result).rejects.toThrow(Stuck);
    await expect(stuck.result).rejects.toThrow(
      /can only wait for the action "shop\.send", which never ends and has no timeout \(remind\/send\)[^]*1 day later/,
    );
  });

  it("takes a run for endless that does not end, and lets the test go through it", async () => {
    const run = testRun(forever);
    await run.advance("10 days");
    expect(run.progress).toHaveLength(10);
    expect(run.status).toBe("running");
    await expect(testRun(forever).result).rejects.toThrow("run.advance()");
    const parent = testRun(startForever, { turnsMax: 50 });
    expect(await parent.result).toBe("started");
    expect(parent.children[0]!.progress.length).toBeGreaterThan(20);
    await expect(parent.until(() => false)).rejects.toThrow("run.advance()");
  });
});

describe("mocks", () => {
  it("play actions with typed functions and remember their calls", async () => {
    const charged = mock(charge, async (cents) => ({ payment: `mock-${cents.toFixed(0)}` }));
    const sent = mock.resolves(send, "sent");
    const run = testRun(order, { input, signals, actions: [charged, sent], strict: false });
    expect(await run.result).toBe("mock-500");
    expect(charged.calls).toEqual([[500]]);
    expect(sent.calls).toEqual([["ada", "Your order of 500 cents"]]);
  });

  it("may be functions by name, of actions, steps and children, such as vi.fn()", async () => {
    const text = vi.fn<(captures: { cents: number }) => Promise<string>>(async () => "Hello");
    const run = testRun(order, { input, signals, actions: { "shop.order/text": text, "shop.send": async () => "" } });
    await run.result;
    expect(text).toHaveBeenCalledWith({ cents: 500 });
    run.assertCalled(send, "ada", "Hello");
    const parent = testRun(remindAll, { input: ["x", "y"], actions: [mock(remind, async (to) => `mocked ${to}`)] });
    expect(await parent.result).toEqual(["mocked x", "mocked y"]);
    expect(parent.called(remind)).toEqual([["nobody"], ["x"], ["y"]]);
    expect(parent.step("shop.remind").result).toEqual({ id: expect.any(String) });
    expect(parent.children).toEqual([]);
  });

  it("are asked for by name when the test is strict or the action unknown", async () => {
    const run = testRun(settle, { input: 1, strict: true });
    await expect(run.result).rejects.toThrow(NotMocked);
    await expect(run.result).rejects.toThrow('actions: { "shop.charge": async (…) => … }');
  });

  it("fail as often as they are told, then the action runs for real or as told", async () => {
    const failing = mock.fails(charge, new Declined(1), { times: 2 });
    const run = testRun(settle, { input: 7, actions: [failing] });
    expect(await run.result).toEqual({ payment: "pay-7" });
    expect(failing.calls).toEqual([[7], [7]]);
    const again = testRun(settle, {
      input: 7,
      actions: [mock.fails(charge, "no", { times: 1, then: () => ({ payment: "then" }) })],
    });
    expect(await again.result).toEqual({ payment: "then" });
  });

  it("take virtual time, against which the action's timeout counts", async () => {
    const slow = testRun(settle, { input: 1, actions: [mock(charge, () => ({ payment: "slow" }), { takes: "20 s" })] });
    expect(await slow.result).toEqual({ payment: "slow" });
    expect(slow.now).toEqual(new Date("2026-01-01T00:00:20Z"));
    const slower = testRun(settle, {
      input: 1,
      actions: [mock(charge, () => ({ payment: "slow" }), { takes: "40 s" })],
    });
    expect(await slower.result).toBe("ActionTimeout: shop.charge took longer than 30000 ms");
    expect(slower.now).toEqual(new Date("2026-01-01T00:01:33Z"));
  });
});

describe("tries", () => {
  it("are three unless told, with backoffs of 1 s and 2 s in virtual time", async () => {
    const failing = mock.fails(send, new Declined(3));
    const run = testRun(race, { actions: [failing], errors: [Declined] });
    await expect(run.result).rejects.toThrow(Declined);
    expect(run.step("shop.send").attempts).toEqual([
      { at: new Date("2026-01-01T00:00:00Z"), chunks: [], error: expect.any(Declined) },
      { at: new Date("2026-01-01T00:00:01Z"), chunks: [], error: expect.any(Declined) },
      { at: new Date("2026-01-01T00:00:03Z"), chunks: [], error: expect.any(Declined) },
    ]);
  });

  it("are as many as options of the call or of the test say", async () => {
    const failing = mock.fails(send, new Error("no"), { times: 4 });
    const run = testRun(polite, { actions: [failing] });
    expect(await run.result).toBe("Hi to ada");
    expect(run.now.getTime() - Date.UTC(2026, 0, 1)).toBe(10 + 20 + 40 + 80);
    const once = testRun(settle, { input: 1, actions: [mock.fails(charge, new Error("no"))], retry: { attempts: 1 } });
    expect(await once.result).toBe("Error: no");
    expect(once.step("shop.charge").attempts).toHaveLength(1);
  });

  it("end at once for errors that are not worth another", async () => {
    const run = testRun(settle, { input: 1, actions: [mock.fails(charge, new RangeError("no"))] });
    await run.result;
    expect(run.step("shop.charge").attempts).toHaveLength(1);
  });

  it("time out in virtual time when the action never ends, really or as told", async () => {
    const run = testRun(settle, { input: 1, actions: [mock.never(charge)] });
    expect(await run.result).toBe("ActionTimeout: shop.charge took longer than 30000 ms");
    expect(run.step("shop.charge").error).toBeInstanceOf(ActionTimeout);
    expect(run.step("shop.charge").attempts).toHaveLength(3);
    const hangs = { actions: { "shop.charge": () => new Promise(() => {}) }, patience: 10 };
    expect(await testRun(settle, { input: 1, ...hangs }).result).toContain("ActionTimeout");
    const noTimeout = testRun(race, { actions: { "shop.send": () => new Promise(() => {}) }, patience: 10 });
    await expect(noTimeout.result).rejects.toThrow("has not settled for 10 ms of real time");
  });

  it("draw their backoffs from the seed", async () => {
    const at = async (schedule?: number): Promise<number> => {
      const options = schedule === undefined ? {} : { schedule };
      const run = testRun(settle, {
        input: 1,
        actions: [mock.fails(charge, new Error("no"), { times: 1 })],
        ...options,
      });
      await run.result;
      return run.now.getTime() - Date.UTC(2026, 0, 1);
    };
    expect(await at()).toBe(1000);
    expect(await at(5)).toBe(await at(5));
    expect(await at(5)).toBeGreaterThan(1000);
    expect(await at(5)).toBeLessThanOrEqual(1500);
  });
});

describe("going through a run", () => {
  it("ends one step at a time and tells which", async () => {
    const run = testRun(order, { input });
    expect(run.open.map(({ node }) => node)).toEqual(["order/charge"]);
    expect(await run.next()).toMatchObject({ node: "order/charge", result: { payment: "pay-500" } });
    run.signal(approved, { by: "eve" });
    expect(run.step("cairn.signal").result).toEqual({ by: "eve" });
    expect(await run.next()).toMatchObject({ action: "cairn.sleep", endedAt: new Date("2026-01-01T02:00:00Z") });
    expect(await run.next()).toMatchObject({ action: "shop.order/text" });
    expect(await run.next()).toMatchObject({ action: "shop.send" });
    expect(await run.next()).toBeNull();
    expect(await run.result).toBe("pay-500");
  });

  it("goes on to a node, a predicate, a date, or for a while", async () => {
    const run = testRun(order, { input });
    await run.until("order/try/approved");
    expect(run.called(charge)).toHaveLength(1);
    await run.advance("1 day");
    expect(run.now).toEqual(new Date("2026-01-02"));
    run.signal("approved", { by: "ann" });
    await run.until(({ open }) => open.some(({ action }) => action === "cairn.sleep"));
    await run.until(new Date("2026-01-02T01:00:00Z"));
    expect(run.called(send)).toEqual([]);
    await expect(run.until(refund)).rejects.toThrow(/no step "shop\.refund"[^]*= succeeded/);
  });

  it("refuses places and signals that the workflow does not have, before anything happens", async () => {
    const run = testRun(order, { input });
    await expect(run.until("order/chrage")).rejects.toThrow(
      'There is no step of shop.order called "order/chrage". Did you mean "order/charge"?',
    );
    expect(() => run.signal("aproved", 1)).toThrow(
      'no signal of shop.order called "aproved". Did you mean "approved"?',
    );
    expect(run.step(charge).status).toBe("open");
    await run.until(approved);
    expect(run.step(charge).status).toBe("succeeded");
  });

  it("tells of async functions that were still waiting, with names or without", async () => {
    const run = testRun(hasty);
    expect(await run.result).toBe("Hi to a");
    expect(run.story()).toContain("· an async function without a name was still waiting");
    expect(run.story()).toContain('· "named" was still waiting');
  });

  it("lets the test end actions and sleeps by hand", async () => {
    const run = testRun(order, { input, manual: true, signals });
    await expect(testRun(settle, { input: 1, manual: true }).result).rejects.toThrow("until the test completes");
    run.complete(charge, { payment: "by hand" });
    await run.until("cairn.sleep");
    run.complete("cairn.sleep");
    run.complete("shop.order/text", "Text");
    run.fail(run.open[0]!, new Declined(5));
    await expect(run.result).rejects.toThrow(Stuck);
    run.complete("shop.refund");
    expect(run.status).toBe("failed");
    expect(() => run.complete("shop.send")).toThrow('No step "shop.send" is open');
    expect(() => run.signal("approved")).toThrow("has ended");
  });

  it("cancels: open promises reject, compensations run", async () => {
    const run = testRun(order, { input });
    await run.until(approved);
    run.cancel("changed their mind");
    await expect(run.result).rejects.toThrow(RunCancelled);
    await expect(run.result).rejects.toThrow("changed their mind");
    expect(run.status).toBe("cancelled");
    run.assertSteps([charge, [refund, "pay-500"]]);
  });

  it("may be cancelled and sent signals by an action that runs", async () => {
    const sends: TestRun<string> = testRun(order, {
      input,
      actions: [mock(charge, () => (sends.signal(approved, { by: "action" }), { payment: "p" }))],
    });
    expect(await sends.result).toBe("p");
    const run: TestRun<string> = testRun(order, {
      input,
      actions: [mock(charge, () => (run.cancel(), { payment: "late" }))],
    });
    await expect(run.result).rejects.toThrow(RunCancelled);
    expect(run.step("shop.charge").status).toBe("abandoned");
  });

  it("shows children, attached and detached, with all they did", async () => {
    const run = testRun(remindAll, { input: ["x", "y", "z"] });
    expect(await run.result).toEqual(["Remember to x", "Remember to y", "Remember to z"]);
    expect(run.children.map(({ workflow, input, status }) => [workflow, input, status])).toEqual([
      ["shop.remind", "nobody", "succeeded"],
      ["shop.remind", "x", "succeeded"],
      ["shop.remind", "y", "succeeded"],
      ["shop.remind", "z", "succeeded"],
    ]);
    expect(run.children[3]!.called(send)).toEqual([["z", "Remember"]]);
    expect(run.called(send)).toEqual([]);
  });
});

describe("injected failures", () => {
  it("fail the calls and tries that they name, by action or node", async () => {
    const failures = [{ at: send, call: 2, error: new Declined(2) }];
    const run = testRun(race, { failures });
    await expect(run.result).rejects.toThrow("declined with 2");
    expect(run.stepsOf(send).map(({ status }) => status)).toEqual(["succeeded", "failed", "succeeded"]);
    const once = testRun(race, { failures: [{ at: run.step("shop.send").node, attempts: 1, error: "no" }] });
    expect(await once.result).toHaveLength(3);
    expect(once.stepsOf(send).map(({ attempts }) => attempts.length)).toEqual([2, 2, 2]);
  });

  it("cancel before the step that they name, by number or node", async () => {
    const first = testRun(order, { input, signals, cancel: { before: 1 } });
    await expect(first.result).rejects.toThrow(RunCancelled);
    expect(first.step("shop.charge")).toMatchObject({ status: "abandoned", attempts: [] });
    const later = testRun(order, { input, signals, cancel: { before: send, reason: "too late" } });
    await expect(later.result).rejects.toThrow("too late");
    later.assertSteps([charge, "shop.order/text", send, refund]);
  });
});

describe("stories and assertions", () => {
  it("tell what happened", async () => {
    const run = testRun(order, { input, signals, actions: [mock.fails(charge, new Declined(1), { times: 1 })] });
    await run.result;
    expect(String(run)).toMatchInlineSnapshot(`
      "shop.order({"cents":500,"to":"ada"})
        ↻ order/charge  Declined: declined with 1, again in 1 second
        … 1 second later
        ✓ order/charge  shop.charge(500) → {"payment":"pay-500"}
        · to undo: shop.refund("pay-500")
        · progress "charged"
        ✓ order/try/approved  cairn.signal("approved") → {"by":"ann"}
        · info "approved by","ann"
        … 2 hours later
        ✓ order/sleep  cairn.sleep(until 2026-01-01T02:00:01.000Z)
        ✓ order/text  shop.order/text({"cents":500}) → "Your order of 500 cents"
        ✓ order/send  shop.send("ada","Your order of 500 cents") → "Your order of 500 cents to ada"
        · emit shop.ordered.v1 {"payment":"pay-500"}
        = succeeded: "pay-500""
    `);
    expect(run.story()).toBe(String(run));
  });

  it("show the difference and the story when they fail", async () => {
    const run = testRun(order, { input, signals });
    await run.result;
    run.assertSteps([charge, "shop.order/text", [send, "ada", "Your order of 500 cents"]]);
    run.assertNotCalled(refund);
    expect(() => run.assertSteps([charge, [send, "eve", "x"]])).toThrowErrorMatchingInlineSnapshot(`
      [AssertionError: The run has taken other steps than expected.

      + what happened, - what was expected
        shop.charge
      + shop.order/text({ cents: 500 })
      + shop.send('ada', 'Your order of 500 cents')
      - shop.send('eve', 'x')

      shop.order({"cents":500,"to":"ada"})
        ✓ order/charge  shop.charge(500) → {"payment":"pay-500"}
        · to undo: shop.refund("pay-500")
        · progress "charged"
        ✓ order/try/approved  cairn.signal("approved") → {"by":"ann"}
        · info "approved by","ann"
        … 2 hours later
        ✓ order/sleep  cairn.sleep(until 2026-01-01T02:00:00.000Z)
        ✓ order/text  shop.order/text({"cents":500}) → "Your order of 500 cents"
        ✓ order/send  shop.send("ada","Your order of 500 cents") → "Your order of 500 cents to ada"
        · emit shop.ordered.v1 {"payment":"pay-500"}
        = succeeded: "pay-500"
      ]
    `);
    expect(() => run.assertCalled(refund)).toThrow('"shop.refund" was not called');
    expect(() => run.assertCalled(send, "eve", "x")).toThrow("with these arguments");
    expect(() => run.assertNotCalled(send)).toThrow(/was called, and should not have been[^]*= succeeded/);
    expect(() => run.step("shop.nowhere")).toThrow('no step "shop.nowhere"');
  });
});

describe("many runs", () => {
  it("are compared over many orders, and the first that differs is told with its seed", async () => {
    await everySchedule(order, { input, actions: [mock.resolves(send, "")], signals: {} }, { count: 20 });
    const differs = everySchedule(race, {});
    await expect(differs).rejects.toThrow(
      /With `schedule: \d+` the run ends otherwise[^]*In the usual order:\nshop\.race/,
    );
    await everySchedule(race, {}, { count: 20, same: async ({ result }) => (await result).toSorted() });
  });

  it("are the same when restored between any two instructions", async () => {
    await checkRestore(order, { input, signals });
    await checkRestore(remindAll, { input: ["x"] });
  });
});

describe("fake timers", () => {
  afterEach(() => vi.useRealTimers());

  it("do not hold a run back, and are not moved by it", async () => {
    vi.useFakeTimers({ now: 0 });
    const run = testRun(order, { input, signals, actions: [mock.fails(charge, new Error("no"), { times: 1 })] });
    expect(await run.result).toBe("pay-500");
    expect(run.steps[0]!.startedAt).toEqual(new Date("2026-01-01"));
    expect(Date.now()).toBe(0);
    const made = new Date();
    const given = testRun(race, { actions: { "shop.send": async () => made } });
    expect(await given.result).toEqual([made, made, made]);
    vi.useRealTimers();
    expect(await testRun(settle, { input: 1, actions: { "shop.charge": async () => made } }).result).toEqual(made);
    vi.useFakeTimers();
    const hangs = { actions: { "shop.send": () => new Promise(() => {}) }, patience: 10 };
    await expect(testRun(race, hangs).result).rejects.toThrow("has not settled");
  });
});

describe("the input", () => {
  it("is checked by the workflow's schema before anything happens, and the run gets what that makes of it", async () => {
    const run = testRun(doubled, { input: "21" });
    expect(await run.result).toBe(42);
    const wrong = testRun(doubled, { input: "many" });
    await expect(wrong.result).rejects.toThrow(InvalidInput);
    await expect(wrong.next()).rejects.toThrow(InvalidInput);
    expect(wrong.steps).toEqual([]);
  });

  it("is checked by what the compiler derived when the run is started", () => {
    expect(() => Reflect.apply(testRun, undefined, [race, { input: 5 }])).toThrow(InvalidInput);
  });
});
