import { action, workflow } from "cairnjs";

export interface Letter {
  readonly tenant: string;
  readonly n: number;
}

const send = action("mail.send", async (letter: Letter): Promise<unknown> => letter.n);

export const sendOne = workflow("mail.one.v1", async (letter: Letter) => await send(letter));

export const sendAll = workflow("mail.all.v1", async (letters: Letter[]) => {
  const sent = await Promise.allSettled(letters.map((letter) => send(letter)));
  return sent.map((each) => (each.status === "fulfilled" ? "sent" : (each.reason as Error).name));
});

export const sendFirst = workflow("mail.first.v1", async (letters: Letter[]) => {
  return await Promise.race(letters.map((letter) => send(letter)));
});

const region = (letter: Letter): string => (letter.tenant === "b" ? "west" : "east");

/** What it is limited by is made by the machine. */
const deliver = action(
  "mail.deliver",
  {
    concurrency: { limit: 1, key: (letter) => region(letter) },
    rate: { limit: 1_000, per: "1 minute", key: ({ tenant }: Letter) => tenant.toUpperCase() },
  },
  async (letter: Letter): Promise<unknown> => letter.n,
);

const lost = action(
  "mail.lost",
  {
    concurrency: {
      limit: 1,
      key: (letter: Letter) => {
        if (letter.tenant === "throws") throw new RangeError("no such tenant");
        while (letter.tenant === "loops") letter.n;
        return letter.tenant === "nothing" ? (null as unknown as string) : letter.tenant;
      },
    },
  },
  async (letter: Letter): Promise<unknown> => letter.n,
);

export const deliverAll = workflow("mail.deliver-all.v1", async (letters: Letter[]) => {
  const sent = await Promise.allSettled(letters.map((letter) => deliver(letter)));
  return sent.length;
});

export const loseAll = workflow("mail.lose-all.v1", async (letters: Letter[]) => {
  const sent = await Promise.allSettled(letters.map((letter) => lost(letter)));
  return sent.map((each) => (each.status === "fulfilled" ? "sent" : String(each.reason)));
});
