import { expect, it } from "vitest";
import { action, middleware } from "./index.ts";

it("surrounds the handler, the first one outermost, and sees name, arguments and attempt", async () => {
  const notes: string[] = [];
  const note = (name: string): ReturnType<typeof middleware> =>
    middleware(async (call, next) => {
      notes.push(`${name} before ${call.name}(${call.args.join()}) try ${call.context.attempt}`);
      const result = await next();
      notes.push(`${name} after ${String(result)}`);
      return result;
    });
  const double = action("double", { use: [note("a"), note("b")] }, async (n: number) => n * 2);
  expect(await double(4)).toBe(8);
  expect(notes).toEqual(["a before double(4) try 1", "b before double(4) try 1", "b after 8", "a after 8"]);
});

it("may change arguments and the result, catch, throw, and go on again", async () => {
  const plusOne = middleware(async ({ args: [n] }, next) => next([Number(n) + 1]));
  const asText = middleware(async (_call, next) => `<${String(await next())}>`);
  const changed = action("changed", { use: [asText, plusOne] }, async (n: number) => n);
  expect(await changed(1)).toBe("<2>");
  const rescue = middleware(async (_call, next) => next().catch((error: unknown) => (error as Error).message));
  const fail = async (): Promise<never> => Promise.reject(new Error("lost"));
  expect(await action("rescued", { use: [rescue] }, fail)()).toBe("lost");
  const refuse = middleware(async () => Promise.reject(new RangeError("closed")));
  await expect(action("refused", { use: [refuse] }, async () => 1)()).rejects.toThrow(RangeError);
  let tries = 0;
  const twice = middleware(async (_call, next) => [await next(), await next()]);
  expect(await action("twice", { use: [twice] }, async () => ++tries)()).toEqual([1, 2]);
});

it("must be a function", () => {
  expect(() => Reflect.apply(middleware, undefined, [5])).toThrow(TypeError);
});
