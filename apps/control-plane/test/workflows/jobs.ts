import { action, currentCall, type StandardSchema, workflow } from "cairnjs";

/** One execution of `shop.refund.v1`, which the test ends. */
export interface Refund {
  readonly order: string;
  readonly runId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  succeed(cents: number): void;
  fail(error: Error): void;
}

/** In the order they began, of all tests of the process. */
export const refunds: Refund[] = [];

export class Fraud extends Error {
  override name = "Fraud";
}

export const refund = action(
  "shop.refund.v1",
  { retry: { baseMs: 10_000, capMs: 15_000 }, nonRetryable: [Fraud] },
  async ({ order }: { order: string }) => {
    const { runId, attempt, signal } = currentCall();
    return await new Promise<number>((succeed, fail) => {
      refunds.push({ order, runId, attempt, signal, succeed, fail });
    });
  },
);

/** What the actions below have got. */
export const seen: unknown[] = [];

export const encode = action("media.encode.v1", async (file: string) => {
  seen.push(file);
  return `${file}.webm`;
});

export const mourn = action("shop.mourn.v1", async (letter: { payload: unknown; error: Error }) => {
  seen.push(letter);
});

export const stubborn = action("shop.stubborn.v1", { retry: { attempts: 1, baseMs: 10_000 } }, async (name: string) => {
  seen.push(name);
  throw new RangeError(`${name} will not`);
});

export const slow = action("shop.slow.v1", { timeout: 1, retry: { attempts: 1 } }, async () => {
  await new Promise((_, reject) => {
    const { signal } = currentCall();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
});

export const tidy = action("tidy", async () => "tidied");

export const several = action("shop.several.v1", async (a: number, b: number, c?: string) => `${a} ${b} ${c}`);

/** Takes texts, and makes numbers of them. */
const amount: StandardSchema<{ cents: string | number }, { cents: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (given) => {
      const cents = Number((given as { cents: unknown }).cents);
      return cents >= 1 ? { value: { cents } } : { issues: [{ message: "at least 1", path: ["cents"] }] };
    },
  },
};

export const checked = action("shop.checked.v1", { input: amount }, async (given) => typeof given.cents);

/** Has what jobs do not: beside them in one process. */
export const beside = workflow("shop.beside.v1", async (file: string) => await encode(file));
