import { describe, expect, it } from "vitest";
import { step } from "./index.ts";

describe("a step that a hook has lifted", () => {
  it("gets copies of what it captures, taken when the call is evaluated", async () => {
    const list = [1];
    const promise = step(
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
      step(
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

  it("is an arrow like any other without a hook", async () => {
    const list = [1];
    await step("write", async () => list.push(2));
    expect(list).toEqual([1, 2]);
    expect(() => Reflect.apply(step, undefined, ["x"])).toThrow("step() takes a name and an async arrow");
  });
});
