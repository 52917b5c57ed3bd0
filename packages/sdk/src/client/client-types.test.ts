import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { action, signal, workflow } from "../index.ts";
import { createClient, type RunHandle } from "./index.ts";

// Checked by the compiler: inference.test.ts runs it over this file.

const checkout = workflow("checkout", async (order: { readonly cents: number }) => String(order.cents));
const nightly = workflow("nightly", async () => 5);
const greet = workflow("greet", async (name?: string) => name ?? "you");
const dated = workflow("dated", { input: z.object({ at: z.coerce.date<string>() }) }, async ({ at }) => at);
const refund = action("refund", async (payment: { readonly id: string }) => payment.id.length);
const pair = action("pair", async (a: number, b: number) => a + b);
const client = createClient({ url: "http://127.0.0.1:1" });

it("takes what the workflow or action takes, and gives what it gives", () => {
  const asked = (): unknown[] => [
    expectTypeOf(client.start(checkout, { cents: 5 })).resolves.toEqualTypeOf<RunHandle<string>>(),
    expectTypeOf(client.start(nightly)).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start(nightly, undefined, { priority: 5 })).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start(greet)).resolves.toEqualTypeOf<RunHandle<string>>(),
    expectTypeOf(client.start(greet, "ada", { tags: ["x"] })).resolves.toEqualTypeOf<RunHandle<string>>(),
    expectTypeOf(client.start(dated, { at: "2026" })).resolves.toEqualTypeOf<RunHandle<Date>>(),
    expectTypeOf(client.start(refund, { id: "x" })).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start<typeof checkout>("checkout", { cents: 5 })).resolves.toEqualTypeOf<RunHandle<string>>(),
    expectTypeOf(client.start<typeof nightly>("nightly")).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start<typeof refund>("refund", { id: "x" })).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start<{ id: string }, number>("x", { id: "a" })).resolves.toEqualTypeOf<RunHandle<number>>(),
    expectTypeOf(client.start("x", { id: "a" }, { priority: 1 })).resolves.toEqualTypeOf<RunHandle>(),
    expectTypeOf(client.start("x")).resolves.toEqualTypeOf<RunHandle>(),
    expectTypeOf(client.run<typeof checkout>("id").result()).resolves.toBeString(),
    expectTypeOf(client.run<number>("id").result()).resolves.toBeNumber(),
    expectTypeOf(client.run("id").result()).resolves.toBeUnknown(),
    expectTypeOf(client.startMany(checkout, [{ input: { cents: 5 }, tags: [] }])).resolves.toEqualTypeOf<
      RunHandle<string>[]
    >(),
    expectTypeOf(client.startMany(nightly, [{}])).resolves.toEqualTypeOf<RunHandle<number>[]>(),
    expectTypeOf(client.startMany<typeof refund>("refund", [{ input: { id: "x" } }])).resolves.toEqualTypeOf<
      RunHandle<number>[]
    >(),
    expectTypeOf(client.startMany("x", [{ input: 5 }])).resolves.toEqualTypeOf<RunHandle[]>(),
    expectTypeOf(client.startMany<number, string>("x", [{ input: 5 }])).resolves.toEqualTypeOf<RunHandle<string>[]>(),
    expectTypeOf(client.startMany(refund, [{ input: { id: "x" } }])).resolves.toEqualTypeOf<RunHandle<number>[]>(),
    client.run("id").signal(signal<number>("go"), 5),
  ];
  expect(asked).toBeTypeOf("function");
});

it("refuses what does not fit", () => {
  const asked = (): unknown[] => [
    // @ts-expect-error the cents are missing
    client.start(checkout, {}),
    // @ts-expect-error the input is missing
    client.start(checkout),
    // @ts-expect-error it takes nothing
    client.start(nightly, 5),
    // @ts-expect-error a job has one payload
    client.start(pair, 1),
    // @ts-expect-error the cents are missing
    client.start<typeof checkout>("checkout", {}),
    // @ts-expect-error the input is missing
    client.start<typeof checkout>("checkout"),
    // @ts-expect-error the payload is missing
    client.start<typeof refund>("refund"),
    // @ts-expect-error a job has one payload
    client.start<typeof pair>("pair", 1),
    // @ts-expect-error no number
    client.start<{ id: string }, number>("x", { id: 5 }),
    // @ts-expect-error the input is missing
    client.start<{ id: string }, number>("x"),
    // @ts-expect-error no such option
    client.start("x", 5, { prio: 5 }),
    // @ts-expect-error the input is missing
    client.startMany(checkout, [{ tags: [] }]),
    // @ts-expect-error a job has one payload
    client.startMany(pair, [{ input: 1 }]),
    // @ts-expect-error a job has one payload
    client.startMany<typeof pair>("pair", [{ input: 1 }]),
    // @ts-expect-error the input is missing
    client.startMany<typeof refund>("refund", [{}]),
    // @ts-expect-error a text is no number
    client.run("id").signal(signal<number>("go"), "x"),
  ];
  expect(asked).toBeTypeOf("function");
});
