import { action, compensate, signal, sleep, step, workflow } from "cairnjs";

/** What actions did, by their first argument: tests look at it. */
export const done: string[] = [];
/** Tries of `flaky`, by key. */
const tries = new Map<string, number>();

const add = action("add", async (a: number, b: number) => a + b);

const note = action("note", async (text: string) => {
  done.push(text);
  return text;
});

const flaky = action("flaky", { retry: { attempts: 3, baseMs: 1_000 } }, async (key: string, failures: number) => {
  const count = (tries.get(key) ?? 0) + 1;
  tries.set(key, count);
  if (count <= failures) throw new RangeError(`try ${count} of ${key}`);
  return count;
});

export const sums = workflow("test.sums.v1", async (input: { n: number }) => {
  let sum = 0;
  for (let i = 1; i <= input.n; i++) sum = await add(sum, i);
  return sum;
});

export const parallel = workflow("test.parallel.v1", async (n: number) => {
  const all = await Promise.all(Array.from({ length: n }, (_, index) => add(index, 1)));
  return all.reduce((a, b) => a + b, 0);
});

export const sleeper = workflow("test.sleeper.v1", async (days: number) => {
  const before = Date.now();
  await sleep(`${days} days`);
  return Date.now() - before;
});

const approval = signal<string>("approval");

export const approved = workflow("test.approved.v1", async () => {
  const first = await approval.wait();
  const second = await approval.wait();
  return [first, second];
});

export const family = workflow("test.family.v1", async (n: number) => {
  const children = await Promise.all(Array.from({ length: n }, (_, index) => sums({ n: index })));
  return children.reduce((a, b) => a + b, 0);
});

const dice = workflow("test.dice.v1", async () => add(1, 2));

export const throws = workflow("test.throws.v1", async (n: number) => {
  const all = await Promise.all(Array.from({ length: n }).map(dice));
  return all.reduce((a, b) => a + b, 0);
});

export const undone = workflow("test.undone.v1", async (key: string) => {
  compensate(note, `${key}: first`);
  await note(`${key}: did`);
  compensate(note, `${key}: second`);
  throw new TypeError(`${key} failed`);
});

export const retrying = workflow("test.retrying.v1", async (input: { key: string; failures: number }) => {
  try {
    return await flaky(input.key, input.failures);
  } catch (error) {
    return error instanceof RangeError ? `caught ${error.message}` : "another error";
  }
});

export const stepping = workflow("test.stepping.v1", async (name: string) => {
  const greeting = await step("greet", async () => `Hello, ${name}`);
  return greeting;
});

/** Options that only a body without types can give. */
export const optioned = workflow("test.optioned.v1", async (input: { how: string; options: unknown }) => {
  const options = input.options as { timeout: number };
  try {
    if (input.how === "start") await echo.start("x", options);
    else if (input.how === "child") await echo.with(options)("x");
    else await add.with(options)(1, 2);
    return "done";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "something else";
  }
});

export const echo = workflow("test.echo.v1", async (text: string) => text);

/** Waits for a run that waits for signals. */
export const guardian = workflow("test.guardian.v1", async () => await approved());
