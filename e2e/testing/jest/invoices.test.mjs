import { mock, testRun } from "cairnjs/testing";
import { copies, dun, invoice, print, remind, shred, Unpaid } from "../invoices.mjs";

const { jest } = import.meta;

test("gives up after three weeks", async () => {
  const run = testRun(invoice, { input: 17, actions: [mock.never(remind)], retry: { attempts: 1 } });
  await expect(run.result).rejects.toMatchObject({ name: "ActionTimeout" });
  run.assertSteps([print, remind, [shred, 17]]);
});

test("keeps the class of errors", async () => {
  await expect(testRun(invoice, { input: 17, errors: [Unpaid] }).result).rejects.toThrow(Unpaid);
});

test("takes jest.fn()", async () => {
  const printed = jest.fn(async () => ({ number: 1 }));
  await testRun(invoice, { input: 17, actions: { "invoices.print": printed }, signals: { paid: [1] } }).result;
  expect(printed).toHaveBeenCalledWith(17);
});

test("runs with fake timers on", async () => {
  const run = testRun(invoice, { input: 17, signals: { paid: [{ on: new Date(5) }] } });
  expect(await run.result).toEqual({ on: new Date(5) });
  expect(run.step(print).result).toEqual({ number: 17, printedAt: new Date(0) });
  expect(await copies(3)).toEqual([
    { number: 3, printedAt: new Date(0) },
    { number: 3, printedAt: new Date(0) },
  ]);
});

test("natively, goes from sleep to sleep as fake timers are advanced", async () => {
  const begin = Date.now();
  const run = dun(3);
  await jest.advanceTimersByTimeAsync(2 * 7 * 86_400_000);
  expect(await run).toEqual([0, 7, 14].map((days) => new Date(begin + days * 86_400_000)));
});

test("tells the story of a run that did something else", async () => {
  const run = testRun(invoice, { input: 17, signals: { paid: [1] } });
  await run.result;
  expect(() => run.assertSteps([remind])).toThrow(/\+ invoices\.print\n- invoices\.remind[^]*= succeeded: 1/);
});
