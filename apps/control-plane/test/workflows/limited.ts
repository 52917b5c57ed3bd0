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
