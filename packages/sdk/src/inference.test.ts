import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, it } from "vitest";
import { action, compensate, mapLimit, signal, type StandardSchema, step, workflow } from "./index.ts";

const charge = action("charge", async (customer: string, cents: number) => ({ id: customer, cents }));
const nothing = action("nothing", { timeout: "5 s" }, async () => {});
const checkout = workflow("checkout", async (order: { id: string }) => order.id.length);
const nightly = workflow("nightly", { tags: ["cron"] }, async () => "done");
const greet = workflow("greet", async (name?: string) => name ?? "you");

/** The runner strips types: what is written below is checked by the compiler, here. */
it("is what the compiler says too", () => {
  const folder = dirname(dirname(fileURLToPath(import.meta.url)));
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.test.json")], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

it("infers arguments and results of actions", () => {
  expectTypeOf(charge).toBeCallableWith("ada", 5);
  expectTypeOf(charge).parameters.toEqualTypeOf<[customer: string, cents: number]>();
  expectTypeOf(charge).returns.resolves.toEqualTypeOf<{ id: string; cents: number }>();
  expectTypeOf(charge.with({ retry: { attempts: 2 } })).toEqualTypeOf(charge);
  expectTypeOf(nothing).returns.resolves.toBeVoid();
  // @ts-expect-error an action is async
  action("sync", () => 1);
  // @ts-expect-error no such option
  expect(() => charge.with({ tries: 3 })).toThrow("no option tries");
});

it("infers input and result of workflows", () => {
  expectTypeOf(checkout).parameters.toEqualTypeOf<[order: { id: string }]>();
  expectTypeOf(checkout).returns.resolves.toBeNumber();
  expectTypeOf(nightly).parameters.toEqualTypeOf<[]>();
  expectTypeOf(greet).parameters.toEqualTypeOf<[name?: string | undefined]>();
  expectTypeOf(checkout.start).toBeCallableWith({ id: "a" }, { tags: ["x"] });
  expectTypeOf(nightly.start).toBeCallableWith(undefined, { tags: ["x"] });
  expectTypeOf(checkout.start).returns.resolves.toEqualTypeOf<{ id: string }>();
  // @ts-expect-error one parameter at most
  workflow("two", async (_a: number, _b: number) => 1);
  // @ts-expect-error a workflow is async
  workflow("sync", () => 1);
});

it("infers inputs from default values", () => {
  const later = workflow("later", async (days = 2) => days + 1);
  expectTypeOf(later).parameters.toEqualTypeOf<[days?: number | undefined]>();
  expectTypeOf(later).returns.resolves.toBeNumber();
  const tagged = workflow("tagged", { tags: ["x"] }, async (days = 2) => days + 1);
  expectTypeOf(tagged).toEqualTypeOf(later);
  // @ts-expect-error a parameter without a type
  workflow("untyped", async (input) => input);
});

it("infers signals, steps, mapLimit and compensations", () => {
  const schema = {
    "~standard": { version: 1, vendor: "none", validate: (value: unknown) => ({ value }) },
  } as StandardSchema<{
    by: string;
  }>;
  expectTypeOf(signal("a", schema).wait).returns.resolves.toEqualTypeOf<{ by: string }>();
  expectTypeOf(signal<number>("b").wait).returns.resolves.toBeNumber();
  expectTypeOf(signal("c").wait).returns.resolves.toBeUnknown();
  expectTypeOf(step<number>).returns.resolves.toBeNumber();
  expectTypeOf(mapLimit<string, number>).returns.resolves.toEqualTypeOf<number[]>();
  expectTypeOf(compensate<[string, number]>).parameters.toExtend<[unknown, string, number]>();
  expectTypeOf(undo).returns.toBeVoid();
});

const undo = (): void => compensate(charge, "ada", 5);
// @ts-expect-error the arguments are the action's
export const wrong = (): void => compensate(charge, 5, "ada");
