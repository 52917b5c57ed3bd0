import { action, compensate, signal, sleep, workflow } from "cairnjs";

export class Unpaid extends Error {}

export const print = action("invoices.print", async (number) => ({ number, printedAt: new Date() }));
export const remind = action("invoices.remind", { timeout: "10 s" }, async (number) => `reminded of ${number}`);
export const shred = action("invoices.shred", async (number) => `shredded ${number}`);
const paid = signal("paid");

/** Reminds every week, and gives up after three. */
export const invoice = workflow("invoices.invoice", async (number) => {
  await print(number);
  compensate(shred, number);
  const payment = paid.wait();
  for (let week = 1; week <= 3; week++) {
    const done = await Promise.race([payment, sleep("1 week").then(() => null)]);
    if (done !== null) return done;
    await remind(number);
  }
  throw new Unpaid(`invoice ${number}`);
});

/** When reminders were printed, a week apart. */
export const dun = workflow("invoices.dun", async (number) => {
  const first = await print(number);
  await sleep("1 week");
  const second = await print(number);
  await sleep("1 week");
  const third = await print(number);
  return [first, second, third].map(({ printedAt }) => printedAt);
});

/** Called as a function it runs natively. */
export const copies = workflow("invoices.copies", async (number) => [await print(number), await print(number)]);
