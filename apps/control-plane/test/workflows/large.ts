import { action, signal, workflow } from "cairnjs";

/** Values that are far too long for a row: each is told apart by its letter. */
const LETTERS = 1_000_000;

export function large(letter: string): string {
  return letter.repeat(LETTERS);
}

const produce = action("large.produce", async (letter: string) => letter.repeat(LETTERS));
const measure = action("large.measure", async (text: string) => `${text[0]}${text.length}`);
const failing = action(
  "large.fails",
  { retry: { attempts: 2, baseMs: 1 } },
  async (letter: string): Promise<string> => {
    throw new RangeError(letter.repeat(LETTERS));
  },
);

const news = signal<string>("news");

export const produces = workflow("large.produces.v1", async (letter: string) => await produce(letter));

export const echoes = workflow("large.echoes.v1", async (text: string) => text);

/** Large in every place: input, argument, result, signal, the child's input and result, its own result. */
export const everywhere = workflow("large.everywhere.v1", async (input: { text: string; letter: string }) => {
  const made = await produce(input.letter);
  const heard = await news.wait();
  const echoed = await echoes(`${made[0]}${heard}`);
  const measured = await measure(echoed);
  return { input: input.text, made, heard, echoed, measured };
});

export const hears = workflow("large.hears.v1", async () => {
  const first = await news.wait();
  const second = await news.wait();
  return `${first[0]}${first.length} ${second}`;
});

export const failsLoudly = workflow("large.fails-loudly.v1", async (letter: string) => await failing(letter));

export const mourns = workflow(
  "large.mourns.v1",
  async (input: { payload: string; error: unknown }) =>
    `${input.payload} ${input.error instanceof RangeError ? input.error.message.length : "no RangeError"}`,
);
