import { action, mapLimit, workflow } from "cairnjs";

const a = action("a", async (n: number) => n);
const b = action("b", async (n: number) => n);
const c = action("c", async (n: number) => n);

/** Callbacks may run where they are passed, or not at all; so may actions that are passed. */
export const callbacks = workflow("callbacks", async (ns: number[]) => {
  await Promise.all(ns.map(a));
  const found = await Promise.all(
    ns.map(async (n) => {
      if (n > 1) return b(n);
      await c(n);
      return 0;
    }),
  );
  await mapLimit(ns, 2, a.with({ timeout: "1 m" }));
  await a(1).then((n) => b(n));
  return found;
});

/** A function that is called where it stands does run. */
export const called = workflow("called", async (n: number) => {
  await (async (m: number) => {
    if (m > 1) return;
    await a(m);
  })(await b(n));
  return c(n);
});

/** Values may be called by whoever gets them. */
export const values = workflow("values", async (n: number) => {
  const chosen = n > 1 ? a : b;
  const later = { c };
  await chosen(n);
  return later.c(n);
});

/** Declared functions and helpers have a start and an end of their own. */
export const declared = workflow("declared", async (n: number) => {
  await inner(n);
  return helper(n);
  async function inner(m: number): Promise<void> {
    if (m > 1) await a(m);
    else throw new Error("small");
  }
  async function nothing(): Promise<void> {}
});

async function helper(n: number): Promise<number> {
  if (n > 1) return b(n);
  return n > 0 ? tools.third(n) : 0;
}

const tools = { third: async (n: number) => c(n), second: b };
