import { action, step, workflow } from "cairnjs";

/** Their handlers are elsewhere: workers of the tests answer for them. */
export const charge = action("remote.charge", async (amount: number): Promise<number> => amount);
export const slow = action("remote.slow", async (text: string): Promise<string> => text);
const missing = action("remote.missing", async (): Promise<number> => 0);
const billing = action("billing.charge", async (): Promise<number> => 0);

export const paying = workflow("remote.paying", async (amount: number) => {
  const paid = await charge(amount);
  return `paid ${paid}`;
});

export const waiting = workflow("remote.waiting", async (text: string) => slow(text));

export const lacking = workflow("remote.lacking", async () => missing());

export const unserved = workflow("remote.unserved", async () => billing());

export const stepping = workflow("remote.stepping", async (n: number) => {
  const doubled = await step("double", async () => n * 2);
  return doubled + 1;
});
