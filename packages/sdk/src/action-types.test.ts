import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { action, type Action, currentCall, depends, middleware } from "./index.ts";

// Checked by the compiler: inference.test.ts runs it over this file.

interface Mailer {
  send(to: string): Promise<number>;
}

const mailer = depends(async (): Promise<Mailer> => ({ send: async (to) => to.length }));

describe("types of actions that need something", () => {
  it("give the handler what it needs and keep that from the caller", () => {
    const send = action("send", { needs: { mailer } }, async (to: string, subject: string, { mailer }) => {
      expectTypeOf(mailer).toEqualTypeOf<Mailer>();
      return mailer.send(to + subject);
    });
    expectTypeOf(send).toEqualTypeOf<Action<[to: string, subject: string], number>>();
    expectTypeOf(send.with({ id: "x" })).toEqualTypeOf(send);
    // @ts-expect-error one argument is missing
    void (() => send("ada"));
    // @ts-expect-error the second is a string
    void (() => send("ada", 5));
    // @ts-expect-error what is needed is not the caller's affair
    void (() => send("ada", "hello", { mailer }));
  });

  it("are right for handlers with no other parameter, with a type of their own, or without interest", () => {
    const alone = action("alone", { needs: { mailer } }, async ({ mailer }) => mailer.send("x"));
    expectTypeOf(alone).toEqualTypeOf<Action<[], number>>();
    const annotated = action("annotated", { needs: { mailer } }, async (to: string, needs: { mailer: Mailer }) =>
      needs.mailer.send(to),
    );
    expectTypeOf(annotated).toEqualTypeOf<Action<[to: string], number>>();
    const careless = action("careless", { needs: { mailer } }, async () => "done");
    expectTypeOf(careless).toEqualTypeOf<Action<[], string>>();
  });

  it("refuse what was not asked for", () => {
    // @ts-expect-error it has no printer
    action("a", { needs: { mailer } }, async (_to: string, { printer }) => printer);
    // @ts-expect-error nothing like it is needed
    action("b", { needs: { mailer } }, async (_to: string, _needs: { mailer: { sing(): void } }) => 1);
    // @ts-expect-error the last parameter is what it needs
    action("c", { needs: { mailer } }, async (to: string) => to);
    // @ts-expect-error a provider alone is no dependency
    expect(() => action("c", { needs: { mailer: () => 1 } }, async () => 1)).toThrow("depends(provider)");
  });

  it("know what providers give, whatever kind of function they are", () => {
    const config = depends(() => ({ url: "x" }));
    const connection = depends(
      async function* ({ config }) {
        yield { url: config.url, open: true };
      },
      { needs: { config } },
    );
    const number = depends(function* () {
      yield 5;
    });
    action("all", { needs: { config, connection, number } }, async (needs) => {
      expectTypeOf(needs).toEqualTypeOf<{
        readonly config: { url: string };
        readonly connection: { url: string; open: boolean };
        readonly number: number;
      }>();
    });
    // @ts-expect-error it needs config, of which there is none
    depends(async ({ config }: { config: { url: string } }) => config.url);
    // @ts-expect-error config is no number
    depends(async ({ config }: { config: number }) => config, { needs: { config } });
  });
});

describe("types of actions with schemas", () => {
  it("give the handler the outputs and ask the caller for the inputs, of Zod", () => {
    const charge = action(
      "charge",
      { input: z.object({ at: z.coerce.date<string>(), cents: z.number().default(5) }), needs: { mailer } },
      async (order, { mailer }) => {
        expectTypeOf(order).toEqualTypeOf<{ at: Date; cents: number }>();
        return mailer.send(order.at.toISOString());
      },
    );
    expectTypeOf(charge).parameters.toEqualTypeOf<[input: { at: string; cents?: number | undefined }]>();
    expectTypeOf(charge).returns.resolves.toBeNumber();
    // @ts-expect-error not an order
    void (() => charge({ cents: 5 }));
  });

  it("have one schema per position, of which the last may be left out if there is a default", () => {
    const mail = action(
      "mail",
      { input: [v.string(), v.pipe(v.string(), v.transform(Number)), z.boolean().default(true)] },
      async (to, count, urgent) => {
        expectTypeOf(to).toBeString();
        expectTypeOf(count).toBeNumber();
        expectTypeOf(urgent).toBeBoolean();
        return [to, count, urgent] as const;
      },
    );
    expectTypeOf(mail).parameters.toEqualTypeOf<[string, string, (boolean | undefined)?]>();
    expectTypeOf(mail).toBeCallableWith("ada", "5");
    // @ts-expect-error the second is a string before it is parsed
    void (() => mail("ada", 5));
    // @ts-expect-error the handler gets a number
    action("wrong", { input: [z.number()] }, async (_n: string) => 1);
  });

  it("work with ArkType's", () => {
    const ark = action("ark", { input: type({ day: "string.date.parse" }) }, async ({ day }) => {
      expectTypeOf(day).toEqualTypeOf<Date>();
      return day.getTime();
    });
    expectTypeOf(ark).parameters.toEqualTypeOf<[input: { day: string }]>();
  });

  it("promise the caller the output of the output's schema, and ask the handler for its input", () => {
    const output = z.object({ id: z.coerce.string<number>() });
    const find = action("find", { output }, async (id: number) => ({ id }));
    expectTypeOf(find).toEqualTypeOf<Action<[id: number], { id: string }>>();
    const both = action("both", { input: z.number(), output }, async (id) => ({ id }));
    expectTypeOf(both).toEqualTypeOf<Action<[input: number], { id: string }>>();
    // @ts-expect-error no id
    action("wrong", { output }, async (_id: number) => ({}));
    // @ts-expect-error no id
    action("wrong", { input: z.number(), output }, async (id) => ({ it: id }));
  });
});

describe("types of handlers", () => {
  it("demand a promise, unless the action has a thread of its own", () => {
    // @ts-expect-error not async
    action("a", { timeout: 5 }, (n: number) => n);
    // @ts-expect-error not async
    action("b", { input: z.number() }, (n) => n);
    // @ts-expect-error not async, and not isolated
    action("c", { isolate: "none" }, (n: number) => n);
    const sync = action("d", { isolate: "thread" }, (n: number) => n * 2);
    expectTypeOf(sync).toEqualTypeOf<Action<[n: number], number>>();
    const async = action("e", { isolate: "thread" }, async (n: number) => n * 2);
    expectTypeOf(async).toEqualTypeOf<Action<[n: number], number>>();
    const checked = action("f", { isolate: "thread", input: z.string(), output: z.number() }, (text) => text.length);
    expectTypeOf(checked).toEqualTypeOf<Action<[input: string], number>>();
  });

  it("keep optional and rest parameters, and any number of them", () => {
    const options = { timeout: "5 s" } as const;
    const optional = action("a", options, async (a: string, b?: number) => [a, b]);
    expectTypeOf(optional).parameters.toEqualTypeOf<[a: string, b?: number | undefined]>();
    const rest = action("b", options, async (a: string, ...more: number[]) => [a, more]);
    expectTypeOf(rest).parameters.toEqualTypeOf<[a: string, ...more: number[]]>();
    type N = number;
    const many = action("c", options, async (...all: [N, N, N, N, N, N, N, N, N, string]) => all);
    expectTypeOf(many).toBeCallableWith(1, 2, 3, 4, 5, 6, 7, 8, 9, "ten");
    // @ts-expect-error the first is a string
    void (() => optional(1));
  });

  it("let callers leave out what may be undefined before what is needed", () => {
    const send = action("a", { needs: { mailer } }, async (to: string, subject: string | undefined, { mailer }) =>
      mailer.send(`${subject ?? "Hello"} to ${to}`),
    );
    expectTypeOf(send).parameters.toEqualTypeOf<[string, (string | undefined)?]>();
    const keep = action("b", { needs: { mailer } }, async (_value: unknown, { mailer }) => mailer);
    expectTypeOf(keep).parameters.toEqualTypeOf<[value: unknown]>();
  });

  it("keep their type parameters, unless something is needed or there is a schema", () => {
    const echo = action("a", async <T>(value: T) => value);
    expectTypeOf(echo("text")).resolves.toEqualTypeOf<string>();
    expectTypeOf(echo.with({ timeout: 5 })([1])).resolves.toEqualTypeOf<number[]>();
    const first = action("b", async <T extends { id: number }>(list: T[], fallback: T) => list[0] ?? fallback);
    expectTypeOf(first([], { id: 1, name: "x" })).resolves.toEqualTypeOf<{ id: number; name: string }>();
    // @ts-expect-error no id
    void (() => first([], { name: "x" }));
    const asked: Action<[value: string], string> = action("h", async (value: string) => value);
    expectTypeOf(asked("x")).resolves.toBeString();
    const patient = action("g", { timeout: 5 }, async <T>(value: T) => [value]);
    expectTypeOf(patient(1)).resolves.toEqualTypeOf<number[]>();
    const plain = action("c", async (value: string) => value.length);
    expectTypeOf(plain).toEqualTypeOf<Action<[value: string], number>>();
    const bare = action("d", async () => {});
    expectTypeOf(bare).toEqualTypeOf<Action<[], void>>();
    // @ts-expect-error not async
    action("e", (value: string) => value);
    // @ts-expect-error a parameter without a type
    action("f", async (untyped, typed: string) => [untyped, typed]);
  });

  it("take the types of default values, and any lists of parameters", () => {
    const next = action("a", async (x = 1) => x + 1);
    expectTypeOf(next).toEqualTypeOf<Action<[x?: number | undefined], number>>();
    const patient = action("b", { timeout: 5 }, async (text: string, times = 2) => text.repeat(times));
    expectTypeOf(patient).toEqualTypeOf<Action<[text: string, times?: number | undefined], string>>();
    const checked = action("c", { output: z.coerce.string<number>() }, async (x = 1) => x);
    expectTypeOf(checked).toEqualTypeOf<Action<[x?: number | undefined], string>>();
    const thread = action("d", { isolate: "thread" }, (x = 1) => x);
    expectTypeOf(thread).toEqualTypeOf<Action<[x?: number | undefined], number>>();
    const either = action("e", async (...args: [string, number] | [number]) => args.length > 1);
    expectTypeOf(either).toBeCallableWith("a", 2);
    expectTypeOf(either).toBeCallableWith(1);
    // @ts-expect-error neither of the two
    void (() => either("a"));
  });

  it("may need nothing, and may need something behind eight arguments", async () => {
    const nothing = action("a", { needs: {} }, async (text: string) => text);
    expectTypeOf(nothing).toEqualTypeOf<Action<[text: string], string>>();
    expect(await nothing("x")).toBe("x");
    type N = number;
    const many = action(
      "b",
      { needs: { mailer } },
      async (a: N, b: N, c: N, d: N, e: N, f: N, g: N, h: N, i: N, { mailer }) =>
        mailer.send("x".repeat(a + b + c + d + e + f + g + h + i)),
    );
    expect(await many(1, 1, 1, 1, 1, 1, 1, 1, 1)).toBe(9);
  });

  it("take options that exist", () => {
    // @ts-expect-error no such option
    expect(() => action("a", { tiemout: 5 }, async () => 1)).toThrow("Did you mean timeout?");
    action("b", { nonRetryable: ["Declined", RangeError], use: [middleware((_call, next) => next())] }, async () => 1);
    // @ts-expect-error neither a name nor an error class
    expect(() => action("c", { nonRetryable: [Map] }, async () => 1)).toThrow(RangeError);
    // @ts-expect-error needs belong to the declaration
    expect(() => action("d", async () => 1).with({ needs: {} })).toThrow("no option needs");
    expectTypeOf(currentCall).returns.toHaveProperty("signal").toEqualTypeOf<AbortSignal>();
  });
});
