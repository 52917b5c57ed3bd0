import { action, workflow } from "cairnjs";

const echo = action("heavy.echo.v1", async (value: number) => value);

export const light = workflow("heavy.light.v1", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += await echo(i);
  return sum;
});

/** Computes for a long time without waiting for anything. */
export const spinner = workflow("heavy.spinner.v1", async (rounds: number) => {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) % 1_000_003;
  return sum;
});
