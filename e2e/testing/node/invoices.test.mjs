import assert from "node:assert/strict";
import { mock as nodeMock, test } from "node:test";
import { mock, testRun } from "cairnjs/testing";
import { copies, invoice, print, remind, shred, Unpaid } from "../invoices.mjs";

test("gives up after three weeks", async () => {
  const run = testRun(invoice, { input: 17, actions: [mock.never(remind)], retry: { attempts: 1 } });
  await assert.rejects(run.result, { name: "ActionTimeout" });
  run.assertSteps([print, remind, [shred, 17]]);
});

test("keeps the class of errors", async () => {
  await assert.rejects(testRun(invoice, { input: 17, errors: [Unpaid] }).result, Unpaid);
});

test("runs with fake timers on", async () => {
  nodeMock.timers.enable({ apis: ["setTimeout", "setImmediate", "setInterval", "Date"], now: 0 });
  try {
    const run = testRun(invoice, { input: 17, signals: { paid: [{ on: new Date(5) }] } });
    assert.deepEqual(await run.result, { on: new Date(5) });
    assert.deepEqual(run.step(print).result, { number: 17, printedAt: new Date(0) });
    assert.deepEqual(await copies(3), [
      { number: 3, printedAt: new Date(0) },
      { number: 3, printedAt: new Date(0) },
    ]);
  } finally {
    nodeMock.timers.reset();
  }
});

test("tells the story of a run that did something else", async () => {
  const run = testRun(invoice, { input: 17, signals: { paid: [1] } });
  await run.result;
  assert.throws(() => run.assertSteps([remind]), /\+ invoices\.print\n- invoices\.remind[^]*= succeeded: 1/);
});
