import { action, step, workflow } from "cairnjs";

/** Their handlers are elsewhere: workers of the tests answer for them. */
const charge = action("remote.charge", async (amount: number): Promise<number> => amount);
const slow = action("remote.slow", async (text: string): Promise<string> => text);
const missing = action("remote.missing", async (): Promise<number> => 0);
const billing = action("billing.charge", async (): Promise<number> => 0);

const paying = workflow("remote.paying", async (amount: number) => {
  const paid = await charge(amount);
  return `paid ${paid}`;
});

const waiting = workflow("remote.waiting", async (text: string) => slow(text));

const lacking = workflow("remote.lacking", async () => missing());

const unserved = workflow("remote.unserved", async () => billing());

/** Stays in memory while one of its calls runs, and the other waits for a worker. */
const mixed = workflow("remote.mixed", async () => Promise.all([slow("x"), billing()]));

const stepping = workflow("remote.stepping", async (n: number) => {
  const doubled = await step("double", async () => n * 2);
  return doubled + 1;
});

const many = workflow("remote.many", async (steps: number) => {
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const both = await Promise.all([charge(i), charge(1)]);
    sum += both[0] + both[1];
  }
  return sum;
});

export const remoteFlows = [paying, waiting, lacking, unserved, mixed, stepping, many];
