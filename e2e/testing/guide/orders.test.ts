import { ActionTimeout } from "cairnjs";
import { checkRestore, everySchedule, mock, type TestRun, testRun } from "cairnjs/testing";
import { expect, it } from "vitest";
import { approved, charge, newsletter, order, refund, Refused, sendMail, weekly } from "./orders.ts";

const input = { cents: 500, to: "ada" };
const signals = { approved: [{ by: "ann" }] };

it("ships an order that somebody approves", async () => {
  const sent = mock.resolves(sendMail, "sent");
  const run = testRun(order, {
    input: { cents: 500, to: "ada" },
    actions: [sent],
    signals: { approved: [{ by: "ann" }] },
  });

  expect(await run.result).toBe("pay-500");
  expect(sent.calls).toEqual([["ada", "Your order of 5 €"]]);
});

it("gives the money back when nobody approves in three days", async () => {
  const run = testRun(order, { input });
  await expect(run.result).rejects.toThrow("No signal 'approved' arrived in time");
  run.assertSteps([charge, [refund, "pay-500"]]);
});

it("plays actions", async () => {
  const actions = [
    mock(charge, async (cents) => ({ payment: `test-${cents}` })), // typed as the action is
    mock.resolves(sendMail, "sent"),
  ];
  const run = testRun(order, { input, signals, actions, strict: true, manual: false, startAt: new Date("2026-03-01") });
  await expect(run.result).rejects.toThrow('The action "orders.order/text" has no mock, and the test is strict.');

  const byName = testRun(order, {
    input,
    signals,
    actions: { "mail.send.v1": async () => "sent", "orders.order/text": async () => "Hello" },
  });
  await byName.result;
  expect(byName.called(sendMail)).toEqual([["ada", "Hello"]]);
});

it("plays children", async () => {
  const run = testRun(weekly, { actions: [mock(newsletter, async (names) => names)] });
  await run.advance("3 weeks");
  expect(run.called(newsletter)).toHaveLength(3);
});

it("tries again as the engine does", async () => {
  const run = testRun(order, { input, signals, actions: [mock.fails(charge, new Error("busy"), { times: 2 })] });
  await run.result;
  expect(run.step(charge).attempts.map(({ at }) => at.getTime() - run.step(charge).startedAt.getTime())).toEqual([
    0, 1000, 3000,
  ]);
});

it("times out in virtual time", async () => {
  const run = testRun(order, { input, actions: [mock.never(charge)] });
  await expect(run.result).rejects.toThrow(ActionTimeout);

  const slow = testRun(order, { input, signals, actions: [mock(charge, () => ({ payment: "p" }), { takes: "20 s" })] });
  await slow.result;
  expect(slow.step(charge).endedAt).toEqual(new Date("2026-01-01T00:00:20Z"));
});

it("goes through a run", async () => {
  const run = testRun(order, { input });
  await run.until(approved); // the step is open
  await run.advance("1 day"); // what is due by then has happened
  run.signal(approved, { by: "eve" });
  expect(await run.next()).toMatchObject({ action: "cairn.sleep" }); // one step has ended: this one
  expect(run.now).toEqual(new Date("2026-01-02T02:00:00Z"));
  expect(run.open.map(({ node }) => node)).toEqual(["order/text"]);
  expect(await run.result).toBe("pay-500"); // all the rest
});

it("is cancelled", async () => {
  const run = testRun(order, { input });
  await run.until(approved);
  run.cancel("changed their mind");
  await expect(run.result).rejects.toThrow("changed their mind");
  expect(run.status).toBe("cancelled");
  expect(run.compensations.map(({ action }) => action)).toEqual(["orders.refund"]);
});

it("is played by hand", async () => {
  const run = testRun(order, { input, signals, manual: true });
  run.complete(charge, { payment: "p-1" });
  await run.until("order/text");
  run.fail("order/text", new Error("no template"));
  await run.until(refund);
  run.complete(refund);
  await expect(run.result).rejects.toThrow("no template");
});

it("lets a mock act on its own run", async () => {
  const run: TestRun<string> = testRun(order, {
    input,
    actions: [
      mock(charge, async () => {
        run.signal(approved, { by: "ann" });
        return { payment: "early" };
      }),
    ],
  });
  expect(await run.result).toBe("early");
});

it("fails where the test wants it to", async () => {
  const failures = [{ at: sendMail, call: 2, error: new Error("full") }];
  const run = testRun(newsletter, { input: ["ada", "grace"], failures });
  await expect(run.result).rejects.toThrow("full");

  const cancelled = testRun(order, { input, signals, cancel: { before: sendMail } });
  await expect(cancelled.result).rejects.toThrow("cancelled");
  cancelled.assertCalled(refund, "pay-500");
});

it("keeps classes of errors", async () => {
  const run = testRun(order, { input, signals: { approved: [{ by: "nobody" }] } });
  await expect(run.result).rejects.toThrow(Refused);
});

it("shows what happened", async () => {
  const run = testRun(order, { input, signals });
  await run.result;
  expect(run.emitted).toMatchObject([{ type: "orders.shipped.v1", data: { payment: "pay-500" } }]);
  expect(run.step("order/charge")).toMatchObject({ args: [500], result: { payment: "pay-500" }, status: "succeeded" });
  expect(run.called(sendMail)).toEqual([["ada", "Your order of 5 €"]]);
  run.assertSteps([charge, "orders.order/text", [sendMail, "ada", "Your order of 5 €"]]);
  run.assertNotCalled(refund);
});

it("does the same in every order, and restored at every point", async () => {
  await everySchedule(newsletter, { input: ["ada", "grace"] }, { same: async (run) => (await run.result).toSorted() });
  await checkRestore(order, { input, signals });

  const restored = testRun(order, { input, signals, restoreEverywhere: true });
  expect(await restored.result).toBe("pay-500");
});

it("runs natively", async () => {
  expect(await newsletter(["ada"])).toEqual(["News to ada"]);
});
