import { action, codec, InvalidInput, InvalidOutput, signal, workflow } from "cairnjs";
import { z } from "zod";

export class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}

codec("checked.money", Money, { encode: ({ cents }) => cents, decode: (cents) => new Money(cents) });

export const double = action("checked.double", async (price: Money) => new Money(price.cents * 2));
export const count = action("checked.count", { input: z.number(), output: z.number().max(9) }, async (n) => n * 2);

/** Text when it is sent, a number when it is taken. */
export const chosen = signal("checked.chosen", z.object({ seats: z.string().regex(/^\d+$/).transform(Number) }));

export const byType = workflow("checked.type", async ({ cents }: { cents: number }) => cents);
export const bySchema = workflow("checked.schema", { input: z.string().transform(Number) }, async (n) => n * 2);

/** What becomes of each input, of a child whose type says what it takes and of one with a schema. */
export const children = workflow("checked.children", async (inputs: unknown[]) => {
  const seen: unknown[] = [];
  for (const input of inputs) {
    for (const child of [byType, bySchema, (value: never) => byType.start(value)]) {
      try {
        const result = await child(input as never);
        seen.push(typeof result === "number" ? result : "started");
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        seen.push(error.issues.map(({ path }) => path.join(".")).join());
      }
    }
  }
  return seen;
});

export const counts = workflow("checked.counts", async (numbers: unknown[]) => {
  const seen: unknown[] = [];
  for (const n of numbers) {
    try {
      seen.push(await count(n as number));
    } catch (error) {
      seen.push(error instanceof InvalidOutput ? "too many" : error instanceof InvalidInput ? "no number" : error);
    }
  }
  return seen;
});

export const seats = workflow("checked.seats", async () => (await chosen.wait()).seats + 1);

export const prices = workflow("checked.prices", async (price: Money) => ({ price, doubled: await double(price) }));

class TooMuch extends RangeError {}

/** How often the action was tried is in its arguments. */
export const spend = action("checked.spend", { retry: { attempts: 3, baseMs: 0 } }, async (tries: string) => {
  throw new TooMuch(tries);
});

export const patient = workflow("checked.patient", async () => {
  const seen: string[] = [];
  for (const call of [spend, spend.with({ nonRetryable: [RangeError] }), spend.with({ nonRetryable: [TooMuch] })]) {
    try {
      await call("x");
    } catch (error) {
      seen.push(error instanceof TooMuch ? error.message : "another error");
    }
  }
  return seen;
});
