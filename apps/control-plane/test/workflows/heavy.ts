import { action, workflow } from "cairnjs";

const echo = action("heavy.echo.v1", async (value: number) => value);

export const light = workflow("heavy.light.v1", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += await echo(i);
  return sum;
});

/** Takes more memory than a small thread has, though no more than a run may, and does so again whenever it begins. */
export const glutton = workflow("heavy.glutton.v1", async (items: number) => {
  const list: { readonly index: number; readonly text: string }[] = [];
  for (let i = 0; i < items; i++) list.push({ index: i, text: `item ${i}` });
  await echo(list.length);
  return list.length;
});

/** Computes for a long time without waiting for anything. */
export const spinner = workflow("heavy.spinner.v1", async (rounds: number) => {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) % 1_000_003;
  return sum;
});
