import {
  action,
  compensate,
  emit,
  mapLimit,
  NotStorable,
  progress,
  signal,
  SignalTimeout,
  sleep,
  step,
  workflow,
} from "cairnjs";

export class Declined extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`declined with ${code}`);
    this.code = code;
  }
}

export const charge = action(
  "shop.charge",
  { timeout: "30 s", nonRetryable: ["RangeError"] },
  async (cents: number) => ({
    payment: `pay-${cents}`,
  }),
);
export const refund = action("shop.refund", async (payment: string) => `refunded ${payment}`);
export const send = action("shop.send", async (to: string, text: string) => `${text} to ${to}`);

export const approved = signal<{ by: string }>("approved");

/** Charges, waits for somebody to approve, and lets the customer know. */
export const order = workflow("shop.order", async ({ cents, to }: { cents: number; to: string }) => {
  const { payment } = await charge(cents);
  compensate(refund, payment);
  progress("charged");
  try {
    const { by } = await approved.wait({ timeout: "3 days" });
    console.log("approved by", by);
  } catch (error) {
    if (!(error instanceof SignalTimeout)) throw error;
    throw new Declined(408);
  }
  await sleep("2 hours");
  const text = await step("text", async () => `Your order of ${cents} cents`);
  await send(to, text);
  emit("shop.ordered.v1", { payment });
  return payment;
});

/** A step that cannot be made: what it captures cannot be stored. */
export const holding = workflow("shop.holding", async () => {
  const held = { by: new Map([["db", () => 1]]) };
  try {
    return await step("use", async () => held.by.size);
  } catch (error) {
    return error instanceof NotStorable ? [error.path, error.message] : error;
  }
});

/** Gives what became of a charge, whatever that was. */
export const settle = workflow("shop.settle", async (cents: number) => {
  try {
    return await charge(cents);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error;
  }
});

export const remind = workflow("shop.remind", async (to: string) => {
  await sleep("1 day");
  return send(to, "Remember");
});

/** Reminds many, two at a time, and starts one more that lives on its own. */
export const remindAll = workflow("shop.remind-all", async (names: string[]) => {
  await remind.start("nobody");
  return mapLimit(names, 2, remind);
});

/** Who comes first is a matter of chance. */
export const race = workflow("shop.race", async () => {
  const done: string[] = [];
  await Promise.all(["a", "b", "c"].map(async (name) => done.push(await send(name, "Hello"))));
  return done;
});

/** Does not wait for what it has begun. */
export const hasty = workflow("shop.hasty", async () => {
  const named = async (): Promise<string> => {
    await sleep("1 day");
    return "late";
  };
  return Promise.race([...["a", "b"].map(async (name) => await send(name, "Hi")), named()]);
});

export const forever = workflow("shop.forever", async () => {
  for (let day = 1; ; day++) {
    await sleep("1 day");
    progress(day);
  }
});

export const polite = workflow("shop.polite", async () =>
  send.with({ retry: { attempts: 5, baseMs: 10 } })("ada", "Hi"),
);

/** Leaves something behind that never ends. */
export const startForever = workflow("shop.start-forever", async () => {
  await forever.start();
  return "started";
});

const numeric = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value: unknown) =>
      Number.isNaN(Number(value)) ? { issues: [{ message: "no number" }] } : { value: Number(value) },
    types: undefined as { input: string; output: number } | undefined,
  },
} as const;

export const doubled = workflow("shop.doubled", { input: numeric }, async (n) => n * 2);
