import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { workflow, type Workflow } from "./index.ts";

// Checked by the compiler: inference.test.ts runs it over this file.

const checkout = workflow(
  "checkout",
  { input: z.object({ at: z.coerce.date<string>(), cents: z.number().default(5) }), tags: ["shop"] },
  async (order) => {
    expectTypeOf(order).toEqualTypeOf<{ at: Date; cents: number }>();
    return order.cents;
  },
);

describe("types of workflows with a schema", () => {
  it("give the body its output and ask callers and starters for its input", () => {
    expectTypeOf(checkout).toEqualTypeOf<Workflow<[input: { at: string; cents?: number | undefined }], number>>();
    expectTypeOf(checkout.with({ id: "x" })).toEqualTypeOf(checkout);
    expectTypeOf(checkout.start).toBeCallableWith({ at: "2026-01-01" }, { tags: ["x"] });
    // @ts-expect-error at is missing
    void (() => checkout({ cents: 5 }));
    // @ts-expect-error at is missing
    void (() => checkout.start({ cents: 5 }));
    // @ts-expect-error the body gets a date
    workflow("wrong", { input: z.coerce.date<string>() }, async (at: string) => at);
  });

  it("let the input be left out if the schema does", () => {
    const greet = workflow("greet", { input: z.string().default("you") }, async (name) => name);
    expectTypeOf(greet).toEqualTypeOf<Workflow<[input?: string | undefined], string>>();
  });
});

describe("types of children", () => {
  it("are those of the workflow that is called", () => {
    const parent = workflow("parent", async (id: string) => {
      const cents = await checkout({ at: id });
      expectTypeOf(cents).toBeNumber();
      const { id: child } = await checkout.with({ timeout: "1 day" }).start({ at: id });
      expectTypeOf(child).toBeString();
      // @ts-expect-error a child takes what it declares
      void (() => checkout(id));
      return cents;
    });
    expectTypeOf(parent).returns.resolves.toBeNumber();
  });
});

describe("options of workflows", () => {
  it("are those that exist", () => {
    // @ts-expect-error no such option
    expect(() => workflow("a", { tag: ["x"] }, async () => 1)).toThrow("Did you mean tags?");
    // @ts-expect-error no such option of a start
    expect(() => checkout.start({ at: "" }, { id: "x" })).toThrow("no option id");
    // @ts-expect-error not async
    workflow("b", { input: z.string() }, (text) => text);
  });
});
