import { action, signal, sleep, workflow } from "cairnjs";

const work = action("keeping.work", async (n: number): Promise<unknown> => n);
const go = signal<number>("go");
const text = signal<string>("text");

/** Holds so many characters while it waits for a signal. */
export const keeping = workflow("keeping.keeping.v1", async (length: number) => {
  const kept = Array.from({ length: 16 }, (_, index) => String.fromCharCode(97 + index).repeat(length / 16));
  const added = await go.wait();
  return kept.reduce((sum, text) => sum + text.length, added);
});

/** The same while an action runs. */
export const keepingForWork = workflow("keeping.for-work.v1", async (length: number) => {
  const kept = "k".repeat(length);
  await work(1);
  return kept.length;
});

/** The same while it sleeps for too short a time to be let go. */
export const keepingAsleep = workflow("keeping.asleep.v1", async (length: number) => {
  const kept = "s".repeat(length);
  await sleep("900 ms");
  return kept.length;
});

export const small = workflow("keeping.small.v1", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Number(await work(i));
  return sum;
});

/** Makes garbage, and keeps nothing. */
export const wasteful = workflow("keeping.wasteful.v1", async (rounds: number) => {
  let length = 0;
  for (let i = 0; i < rounds; i++) {
    length += Array.from({ length: 1_000 }, (_, index) => index).length;
    await work(i);
  }
  return length;
});

/** Keeps little of large signals. */
export const reading = workflow("keeping.reading.v1", async (count: number) => {
  const ends: string[] = [];
  for (let i = 0; i < count; i++) ends.push((await text.wait()).slice(-5).replaceAll("x", ""));
  return ends;
});

/** The same while an action runs. */
export const readingBesideCall = workflow("keeping.reading-beside-call.v1", async (count: number) => {
  const open = work(count);
  const ends: string[] = [];
  for (let i = 0; i < count; i++) ends.push((await text.wait()).slice(-5).replaceAll("x", ""));
  await open;
  return ends;
});
