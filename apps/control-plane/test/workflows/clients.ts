import { action, codec, currentCall, progress, type Sealed, signal, step, workflow } from "cairnjs";
import { z } from "zod";

/** For the tests of the client. */

export class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}

codec("clients.money", Money, { encode: ({ cents }) => cents, decode: (cents: number) => new Money(cents) });

const given = action("clients.given", async (value: unknown) => value);

/** Gives back what it was given, by way of an action. */
export const same = workflow("clients.same.v1", async (value: unknown) => await given(value));

export const quote = action("clients.quote.v1", async (order: { readonly cents: number }) => order.cents * 2);

/** Only the declaration knows that a text becomes a date. */
export const dated = workflow(
  "clients.dated.v1",
  { input: z.object({ at: z.string().transform((text) => new Date(text)) }) },
  async ({ at }) => at.getTime(),
);

export const refusing = workflow("clients.refusing.v1", async (text: string): Promise<string> => {
  throw new RangeError(`no ${text}`, { cause: new Map([["text", text]]) });
});

export const approval = signal<{ readonly by: string; readonly at: Date }>("clients.approval");

export const approving = workflow("clients.approving.v1", async (times: number) => {
  const names: string[] = [];
  for (let index = 0; index < times; index++) {
    const { by } = await approval.wait();
    names.push(by);
    progress({ by });
  }
  return names;
});

const speak = action("clients.speak", async (to: number) => {
  const { stream } = currentCall();
  for (let index = 1; index <= to; index++) await stream({ index, at: new Date(index) });
  return to;
});

export const speaking = workflow("clients.speaking.v1", async (to: number) => await speak(to));

export const steps = workflow("clients.steps.v1", async (count: number) => {
  let sum = 0;
  for (let index = 1; index <= count; index++) sum += await step("add", async () => index);
  return sum;
});

const letter = signal<Sealed<{ readonly city: string }>>("clients.held");

/** Holds what it cannot read. */
export const held = workflow(
  "clients.held.v1",
  async (input: { readonly name: Sealed<string>; readonly open: number }) => {
    const city = await letter.wait();
    return { name: input.name, city };
  },
);
