import { describe, expect, it } from "vitest";
import { action } from "./action.ts";
import { compiledKey } from "./compiled/compiled-key.ts";
import { type ActionDefinition, definitionOf } from "./definition.ts";
import { declaredLimits } from "./limits.ts";

const definition = (value: unknown): ActionDefinition => definitionOf(value) as ActionDefinition;

describe("limits of an action", () => {
  it("are as they are registered: lengths of time in milliseconds, functions as their programs", () => {
    const key = compiledKey(
      (tenant: string) => tenant,
      () => "{}",
    );
    const send = action(
      "limits.send",
      { concurrency: { limit: 5, key }, rate: { limit: 100, per: "1 minute" } },
      async (tenant: string) => tenant,
    );
    expect(declaredLimits(definition(send))).toEqual({
      concurrency: { limit: 5, key: { program: "{}" } },
      rate: { limit: 100, perMs: 60_000, key: null },
    });
    expect(declaredLimits(definition(action("limits.none", async () => 1)))).toEqual({ concurrency: null, rate: null });
  });

  it("a function that no hook has seen is refused, with what to do", () => {
    const send = action(
      "limits.uncompiled",
      { rate: { limit: 1, per: "1 s", key: (tenant) => tenant.length } },
      async (tenant: string) => tenant,
    );
    expect(() => declaredLimits(definition(send))).toThrow(
      'The function rate.key of the action "limits.uncompiled" was not compiled',
    );
  });

  it.each([
    [{ concurrency: 5 }, "The option concurrency"],
    [{ concurrency: {} }, "The option concurrency"],
    [{ concurrency: { limit: 0 } }, "The option concurrency"],
    [{ concurrency: { limit: 1, keys: 1 } }, "The option concurrency"],
    [{ concurrency: { limit: 1, key: "tenant" } }, "The option concurrency"],
    [{ rate: { limit: 1 } }, "The option rate"],
    [{ rate: { limit: 1, per: "soon" } }, "The option rate"],
    [{ rate: { limit: 1, per: 0 } }, "The option rate"],
  ])("that cannot be right are refused where they are declared: %j", (options, said) => {
    expect(() => action("limits.wrong", options as never, async () => 1)).toThrow(said);
  });

  it("cannot be given for one call", () => {
    const send = action("limits.call", async () => 1);
    expect(() => send.with({ concurrency: { limit: 1 } } as never)).toThrow("has no option concurrency");
  });
});
