import { action, workflow } from "cairnjs";

const a = action("a", async (n: number) => n);
const b = action("b", async (n: number) => n);
const c = action("c", async (n: number) => n);
const release = action("release", async () => 0);

/** Whatever leaves the block goes through `finally`, and on to where it was going. */
export const through = workflow("through", async (ns: number[]) => {
  for (const n of ns) {
    try {
      if (n === 1) return await a(n);
      if (n === 2) continue;
      if (n === 3) break;
      await b(n);
    } finally {
      await release();
    }
  }
  return c(0);
});

/** With no node in `finally` each way stays its own. */
export const quiet = workflow("quiet", async (n: number) => {
  const log: number[] = [];
  try {
    if ((await a(n)) > 1) return log;
    await b(n);
  } finally {
    log.push(n);
  }
  await c(n);
  return log;
});

/** What the inner `catch` takes does not reach the outer one, what it throws does. */
export const rethrown = workflow("rethrown", async (n: number) => {
  try {
    try {
      await a(n);
    } catch (error) {
      if (n > 1) throw error;
      await b(n);
    }
  } catch {
    await c(n);
    throw new Error("again");
  }
  return release();
});

/** An error that nothing durable made is caught too. */
export const parsed = workflow("parsed", async (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    await a(1);
  }
  try {
    if (text === "") throw new Error("empty");
  } catch {
    await b(1);
  }
  return 0;
});

/** What `finally` does itself wins; errors alone go on as errors. */
export const last = workflow("last", async (n: number) => {
  do {
    try {
      await a(n);
      return n;
    } finally {
      if (n > 1) break;
    }
  } while (n > 0);
  try {
    while (true) await b(n);
  } finally {
    await release();
  }
});

export const early = workflow("early", async (n: number) => {
  if (n < 0) return 0;
  await a(n);
  if (n === 0) return 1;
  if (n > 9) throw new RangeError("too many");
  return b(n);
});
