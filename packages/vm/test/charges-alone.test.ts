import { expect, test, vi } from "vitest";

test("what a program is charged, and how large it is, does not depend on what the process has run before", async () => {
  const measured = async (isAlone: boolean): Promise<unknown> => {
    // Shapes of objects are shared by all machines of a process: these are new.
    vi.resetModules();
    const { costOf, expressionImage } = await import("./cost.ts");
    const before = 'for (let i = 0; i < n; i++) { const made: any = {}; made["name" + i] = i; }';
    if (!isAlone) costOf(expressionImage(before, ""), 1_000);
    return costOf(expressionImage("", "list(n).map(() => record(30)).concat(list(n).map(() => record(3)))"), 100);
  };
  expect(await measured(false)).toEqual(await measured(true));
});
