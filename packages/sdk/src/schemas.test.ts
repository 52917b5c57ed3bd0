import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { action, definitionOf, depends, InvalidInput, InvalidOutput, workflow } from "./index.ts";

const orders = {
  Zod: z.object({ id: z.coerce.number<string>(), items: z.array(z.object({ sku: z.string() })) }),
  Valibot: v.object({
    id: v.pipe(v.string(), v.transform(Number), v.number()),
    items: v.array(v.object({ sku: v.string() })),
  }),
  ArkType: type({ id: "string.numeric.parse", items: type({ sku: "string" }).array() }),
} as const;

describe.each(Object.entries(orders))("a schema of %s", (_, input) => {
  const take = action("order.take.v1", { input }, async (order) => order);

  it("coerces: the handler gets its output", async () => {
    expect(await take({ id: "7", items: [{ sku: "a" }] })).toEqual({ id: 7, items: [{ sku: "a" }] });
  });

  it("refuses what does not fit with an error that can be caught and stored, and says where", async () => {
    const wrong = { id: "7", items: [{ sku: "a" }, { sku: 5 }] };
    const error: unknown = await Reflect.apply(take, undefined, [wrong]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error).toMatchObject({
      name: "InvalidInput",
      message: expect.stringMatching(/^order\.take\.v1: "items\[1\]\.sku": .*string/),
      issues: [{ path: ["items", 1, "sku"], message: expect.stringContaining("string") }],
    });
  });

  it("checks what a workflow is called and started with", async () => {
    const flow = workflow("flow", { input }, async ({ id }) => id);
    expect(await flow({ id: "7", items: [] })).toBe(7);
    await expect(Reflect.apply(flow, undefined, [{ id: "7" }])).rejects.toThrow('flow: input: "items": ');
    await expect(Reflect.apply(flow.start, undefined, [{ id: "7" }])).rejects.toThrow(InvalidInput);
  });
});

describe("schemas by position", () => {
  const send = action(
    "mail.send.v1",
    { input: [z.string(), z.object({ subject: z.string() }), z.number().default(3)] },
    async (to, { subject }, copies) => `${to} ${subject} ${copies}`,
  );

  it("fill in what was left out", async () => {
    expect(await send("ada", { subject: "hello" })).toBe("ada hello 3");
  });

  it("report all problems of all arguments at once, counted from 1", async () => {
    await expect(Reflect.apply(send, undefined, [5, { subject: 5 }])).rejects.toMatchObject({
      message: expect.stringMatching(/^mail\.send\.v1: argument 1: .*string.*; argument 2, "subject": .*string/),
      issues: [{ path: [0] }, { path: [1, "subject"] }],
    });
  });

  it("keep arguments that nobody asked for from the handler, as if there were no schemas", async () => {
    expect(await Reflect.apply(send, undefined, ["ada", { subject: "x" }, 1, 2])).toBe("ada x 1");
    const one = action("one", { input: z.string() }, async (...all) => all);
    expect(await Reflect.apply(one, undefined, ["a", "b"])).toEqual(["a"]);
    await expect(Reflect.apply(one, undefined, [5, "b"])).rejects.toMatchObject({ issues: [{ path: [] }] });
  });

  it("name the first few problems only", async () => {
    const many = action("many", { input: z.record(z.string(), z.number()) }, async (record) => record);
    const wrong = Object.fromEntries(["a", "b c", "d", "e", "f"].map((key) => [key, "x"]));
    const error = (await Reflect.apply(many, undefined, [wrong]).catch((thrown: unknown) => thrown)) as InvalidInput;
    expect(error.issues).toHaveLength(5);
    expect(error.message).toMatch(/^many: "a": .*; "\["b c"\]": .*; "d": .*; and 2 more$/);
  });
});

describe("schemas", () => {
  it("may be asynchronous", async () => {
    const known = z.string().refine(async (name) => name === "ada", "nobody knows them");
    const greet = action("greet", { input: known }, async (name) => `hello ${name}`);
    expect(await greet("ada")).toBe("hello ada");
    await expect(greet("bob")).rejects.toThrow("greet: nobody knows them");
  });

  it("are not retried, whether of input or output", async () => {
    let tries = 0;
    const options = { retry: { attempts: 3 }, output: z.object({ id: z.coerce.string<number>() }) };
    const give = action("give", options, async (id: number) => {
      tries += 1;
      return { id };
    });
    expect(await give(5)).toEqual({ id: "5" });
    tries = 0;
    const strict = action("strict", { ...options, output: z.object({ it: z.string() }) }, async () => {
      tries += 1;
      return { it: 5 } as unknown as { it: string };
    });
    await expect(strict()).rejects.toBeInstanceOf(InvalidOutput);
    expect(tries).toBe(1);
    await expect(strict()).rejects.toThrow(/^strict: result: "it": .*string/);
  });

  it("see a copy of what was given, and what they make must be storable", async () => {
    const seen: unknown[] = [];
    const spy = z.unknown().transform((value) => {
      seen.push(value);
      return () => value;
    });
    const given = { a: 1 };
    const take = action("take", { input: spy }, async (get) => get());
    expect(await take(given)).toEqual({ a: 1 });
    expect(seen[0]).not.toBe(given);
    const flow = workflow("flow", { input: spy }, async () => 1);
    await expect(flow(given)).rejects.toThrow("input cannot be stored: it is a function");
  });

  it("stay in the definition, for those who run actions elsewhere", () => {
    const input = z.string();
    const made = action("made", { input, isolate: "thread" }, (text) => text.length);
    expect(definitionOf(made)?.options).toEqual({ input, isolate: "thread" });
  });
});

describe("an isolated action", () => {
  it("gives a promise natively too, though its handler is synchronous", async () => {
    const count = action("count", { isolate: "thread" }, (text: string) => text.length);
    const promise = count("four");
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toBe(4);
    const needs = { factor: depends(() => 10) };
    const multiply = action("multiply", { isolate: "thread", needs }, (n: number, { factor }) => n * factor);
    expect(await multiply(4)).toBe(40);
    const fail = action("fail", { isolate: "thread" }, () => {
      throw new RangeError("no");
    });
    await expect(fail()).rejects.toThrow(RangeError);
  });
});
