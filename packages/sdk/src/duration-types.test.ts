import { describe, expect, expectTypeOf, it } from "vitest";
import { type Duration, durationMs } from "./options.ts";
import { action, signal, sleep } from "./index.ts";

/** `inference.test.ts` has the compiler check the types in this folder. */
describe("Duration", () => {
  const written = ["0ms", "90 s", "1.5 h", "2 days", "-5 s", "1 week", "3  min", " 4 hrs", "2 Days", "1 H"] as const;

  it("takes what is understood when it is used", () => {
    expectTypeOf(written).toExtend<readonly Duration[]>();
    expectTypeOf<number>().toExtend<Duration>();
    expect(written.map(durationMs)).not.toContain(Number.NaN);
  });

  it("takes a computed number with a unit", () => {
    const days: number = written.length;
    const until: Duration = `${days} days`;
    expect(durationMs(until)).toBe(864_000_000);
  });

  it("refuses other texts, and a text of which nothing is known", () => {
    expectTypeOf<"3 dayz" | "" | "soon" | "days" | "5 mins?" | "5">()
      .exclude<Duration>()
      .toEqualTypeOf<"3 dayz" | "" | "soon" | "days" | "5 mins?" | "5">();
    expectTypeOf<string>().not.toExtend<Duration>();
  });

  it("is what sleep, options and waits take", () => {
    const charge = action("charge", async () => 1);
    expectTypeOf(sleep).toBeCallableWith("2 days");
    void ((text: string) => {
      // @ts-expect-error no unit
      void sleep("3 dayz");
      // @ts-expect-error anything may be in it
      void sleep(text);
      // @ts-expect-error no unit
      action("a", { timeout: "30 parsecs" }, async () => 1);
      // @ts-expect-error no unit
      charge.with({ timeout: "5 mins?" });
      // @ts-expect-error no unit
      void signal("approved").wait({ timeout: "" });
    });
  });
});
