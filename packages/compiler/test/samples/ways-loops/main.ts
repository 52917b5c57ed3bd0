import { action, workflow } from "cairnjs";

const a = action("a", async (n: number) => n);
const b = action("b", async (n: number) => n);
const c = action("c", async (n: number) => n);

/** Either branch can be the first of an iteration, and follow either. */
export const branches = workflow("branches", async (ns: number[]) => {
  for (const n of ns) {
    if (n > 1) await a(n);
    else await b(n);
  }
});

/** An iteration may pass without a node; `break` leaves, `continue` goes back. */
export const jumps = workflow("jumps", async (ns: number[]) => {
  for (let i = 0; i < ns.length; i += await c(0)) {
    if (i === 3) break;
    if (i === 4) continue;
    await a(i);
    if (i === 5) continue;
    await b(i);
    if (i === 6) return i;
    if (i === 7) throw new Error("seven");
  }
  return c(1);
});

/** Nothing but `break` and `return` ends it. */
export const forever = workflow("forever", async (n: number) => {
  while (true) {
    await a(n);
    if (n > 3) return n;
    if (n > 2) break;
  }
  for (;;) {
    if (await b(n)) break;
  }
  do {
    await c(n);
  } while (n > 1);
  return 0;
});

export const labels = workflow("labels", async (ns: number[]) => {
  outer: for (const i of ns) {
    await a(i);
    for (const j of ns) {
      if (j === 1) continue outer;
      await b(j);
      if (j === 2) break outer;
      if (j === 3) break;
    }
    block: {
      if (i === 4) break block;
      await c(i);
      if (i === 5) continue outer;
      await c(i);
    }
  }
  return a(0);
});

/** Loops in each other with nothing between the heads. */
export const nested = workflow("nested", async (rows: number[][]) => {
  for (const row of rows) for (const n of row) if (n > 0) await a(n);
  while ((await b(1)) > 0) while ((await c(1)) > 0);
});
