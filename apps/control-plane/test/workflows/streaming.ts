import { action, currentCall, workflow } from "cairnjs";

/** What a test makes an attempt do. */
export interface Streaming {
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly stream: (chunk: unknown) => Promise<void>;
  readonly end: (value?: string) => void;
  readonly fail: (error: Error) => void;
}

/** Attempts of `talk`, in the order they began: tests let them speak, and end them. */
export const talks: Streaming[] = [];

const talk = action("streaming.talk", { retry: { attempts: 3, baseMs: 1, capMs: 1 } }, async (key: string) => {
  const { attempt, signal, stream } = currentCall();
  return await new Promise<string>((resolve, fail) => {
    talks.push({ key, attempt, signal, stream, end: (value = "done") => resolve(value), fail });
  });
});

/** Streams its numbers, and ends. */
const count = action("streaming.count", async (to: number, text: string) => {
  const { stream } = currentCall();
  for (let index = 1; index <= to; index++) await stream(`${index}${text}`);
  return to;
});

export const talking = workflow("streaming.talking.v1", async (key: string) => await talk(key));

export const talkingTwice = workflow("streaming.twice.v1", async (key: string) => {
  const both = await Promise.all([talk(`${key}/a`), talk(`${key}/b`)]);
  return both.join(" ");
});

export const counting = workflow(
  "streaming.counting.v1",
  async (input: { to: number; text: string }) => await count(input.to, input.text),
);
