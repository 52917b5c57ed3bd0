import { action, workflow } from "cairnjs";

const a = action("a", async (n: number) => n);
const b = action("b", async (n: number) => n);
const c = action("c", async (n: number) => n);

export const ternaries = workflow("ternaries", async (n: number) => {
  const first = n > 1 ? await a(n) : n > 0 ? await b(n) : 0;
  return first ? c(1) : c(2);
});

export const logical = workflow("logical", async (n: number | null) => {
  const kept = n || (await a(1));
  let given = n ?? (await b(1));
  given &&= await a(2);
  return kept > 1 && c(given);
});

/** Each part of a condition has its own ways out. */
export const conditions = workflow("conditions", async (n: number) => {
  if (n > 1 && (await a(n)) > 1) await b(1);
  else await b(2);
  if (!(n > 2 || (await a(2)))) await c(1);
  while (n > 3 && !(await a(3))) await c(2);
});

/** Parts run in the order of the language: what a call needs before it, the value before its pattern. */
export const orders = workflow("orders", async (n: number) => {
  await a(await b(await c(n)));
  const { x = await a(1) } = { x: await b(1) };
  (await a(2)).toFixed(await b(2));
  return [x, await a.with({ timeout: 9 })(await c(3))];
});

/** An optional chain may be left before its arguments. */
export const chains = workflow("chains", async (list: number[] | null) => {
  list?.push(await a(1));
  list?.[await b(1)]?.toFixed(await c(1));
});
