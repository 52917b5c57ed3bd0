import { describe, expect, it } from "vitest";
import { step } from "./index.ts";
import { liftedStep } from "./step.ts";

describe("a step that a hook has lifted", () => {
  it("gets copies of what it captures, taken when the call is evaluated", async () => {
    const list = [1];
    const promise = liftedStep(
      "read",
      async ({ list }: { list: number[] }) => list,
      () => ({ list }),
    );
    list.push(2);
    const result = await promise;
    expect(result).toEqual([1]);
  });

  it("cannot write to them, not even to bytes", async () => {
    const captured = { list: [1], map: new Map([[1, 2]]), bytes: new Uint8Array(2) };
    const attempt = (write: (captures: typeof captured) => void): Promise<unknown> =>
      liftedStep(
        "write",
        async (captures: typeof captured) => write(captures),
        () => captured,
      );
    await expect(attempt(({ list }) => list.push(2))).rejects.toThrow(
      /^Cannot add property 1, object is not extensible\. What step\(\) has captured is a frozen copy: change a copy of it/,
    );
    await expect(attempt(({ map }) => map.clear())).rejects.toThrow(/^Cannot change a Map\. .*frozen copy/);
    await expect(attempt(({ bytes }) => (bytes[0] = 5))).rejects.toThrow(/^Cannot change a Uint8Array\. .*frozen copy/);
    const error = await attempt((captures) => (captures.list = [])).catch((thrown: unknown) => thrown);
    expect((error as Error).stack).toMatch(/^TypeError: Cannot assign to read only .*frozen copy.*\n {4}at /);
    const other = () => {
      throw new TypeError("x is not a function");
    };
    await expect(attempt(other)).rejects.toThrow(/^x is not a function$/);
    expect(captured.bytes[0]).toBe(0);
  });

  it("is what a hook makes of a call", async () => {
    const written = [
      "read",
      async ({ list }: { list: number[] }) => Object.isFrozen(list),
      () => ({ list: [1] }),
    ] as const;
    expect(await Reflect.apply(step, undefined, [...written])).toBe(true);
  });

  it("is an arrow like any other without a hook", async () => {
    const list = [1];
    await step("write", async () => list.push(2));
    expect(list).toEqual([1, 2]);
    const work = async (): Promise<number> => 1;
    const captures = (): object => ({});
    // @ts-expect-error what hooks write is not for people
    void (() => step("x", work, captures));
    // @ts-expect-error no options
    expect(() => step("x", { timeout: 5 }, work)).toThrow("is declared as an action");
  });
});
