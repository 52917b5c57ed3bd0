import "./codecs/decimal.ts";
import { Temporal as JsTemporal } from "@js-temporal/polyfill";
import { Decimal } from "decimal.js";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { useTemporal } from "./codecs/temporal.ts";
import { action, codec, codecs, NotStorable, workflow } from "./index.ts";
import { liftedStep } from "./step.ts";

class Money {
  readonly cents: bigint;
  readonly currency: string;

  constructor(cents: bigint, currency: string) {
    this.cents = cents;
    this.currency = currency;
  }

  toString(): string {
    return `${this.cents} ${this.currency}`;
  }
}

const moneyCodec = {
  encode: ({ cents, currency }: Money) => ({ cents, currency }),
  decode: ({ cents, currency }: { cents: bigint; currency: string }) => new Money(cents, currency),
};

describe("a class with a codec", () => {
  it("survives calls of actions and workflows, results, errors and captures, as its instances", async () => {
    codec("money", Money, moneyCodec);
    const double = action("double", async (money: Money) => new Money(money.cents * 2n, money.currency));
    const flow = workflow("flow", async (prices: Map<string, Money>) => double(prices.get("tea")!));
    const result = await flow(new Map([["tea", new Money(5n, "EUR")]]));
    expect(result).toBeInstanceOf(Money);
    expect(String(result)).toBe("10 EUR");
    const fail = action("fail", async () => {
      throw Object.assign(new Error("too much"), { limit: new Money(1n, "EUR") });
    });
    await expect(fail()).rejects.toMatchObject({ limit: new Money(1n, "EUR") });
    expect(
      await liftedStep(
        "read",
        async ({ result }: { result: Money }) => String(result),
        () => ({ result }),
      ),
    ).toBe("10 EUR");
  });

  it("is registered once: the same again is nothing new, another one is an error", () => {
    const count = codecs().length;
    codec("money", Money, moneyCodec);
    expect(codecs()).toHaveLength(count);
    class Other {}
    expect(() => codec("money", Other, { encode: () => 1, decode: () => new Other() })).toThrow(
      'There is a codec "money" already, for another class. Choose another name.',
    );
    expect(() => codec("cash", Money, moneyCodec)).toThrow('has a codec already, "money"');
    expect(() => Reflect.apply(codec, undefined, ["", Money, moneyCodec])).toThrow(TypeError);
    expect(() => Reflect.apply(codec, undefined, ["x", {}, moneyCodec])).toThrow(TypeError);
    expect(() => Reflect.apply(codec, undefined, ["x", Map, {}])).toThrow(TypeError);
  });

  it("is refused for what is stored anyway", () => {
    class Declined extends RangeError {}
    for (const type of [Object, Array, Date, Map, Set, Uint8Array, URL, URLSearchParams, Error, Declined]) {
      const register = (): unknown =>
        Reflect.apply(codec, undefined, ["mine", type, { encode: String, decode: String }]);
      expect(register).toThrow(`codec("mine") is for the class ${type.name}, which needs none.`);
    }
    expect(codecs().some(({ name }) => name === "mine")).toBe(false);
  });

  it("is named where it throws", async () => {
    class Fragile {
      readonly breaksAt: string;

      constructor(breaksAt: string) {
        this.breaksAt = breaksAt;
      }
    }
    const failing = (at: string, { breaksAt }: Fragile): string => {
      if (breaksAt === at) throw new RangeError("it broke");
      return breaksAt;
    };
    codec("fragile", Fragile, {
      encode: (value) => failing("encode", value),
      decode: (breaksAt) => new Fragile(failing("decode", new Fragile(breaksAt))),
    });
    const take = action("take", async (_value: Fragile) => {});
    const error = (await take(new Fragile("encode")).catch((thrown: unknown) => thrown)) as NotStorable;
    expect(error).toMatchObject({ path: "arguments[0]", reason: "threw" });
    expect(error.message).toContain('encode of the codec "fragile" threw: it broke');
    await expect(take(new Fragile("decode"))).rejects.toThrow('decode of the codec "fragile" threw: it broke');
  });

  it("does not cover its subclasses, which would come back as something else", async () => {
    class Bitcoin extends Money {}
    const take = action("take", async (_money: Money) => {});
    await expect(take(new Bitcoin(1n, "BTC"))).rejects.toThrow(NotStorable);
  });
});

const echo = action("echo", async (value: unknown) => value);

describe("cairnjs/codecs/decimal", () => {
  it.each(["1.10", "-0", "NaN", "-Infinity", "1e+9000", "0.1234567890123456789012345678901234567890"])(
    "keeps %s",
    async (digits) => {
      const value = new Decimal(digits);
      const back = (await echo({ value })) as { value: Decimal };
      expect(back.value).toBeInstanceOf(Decimal);
      expect(back.value.valueOf()).toBe(value.valueOf());
    },
  );

  it("keeps those of a constructor with other settings", async () => {
    const Precise = Decimal.clone({ precision: 60 });
    const third = new Precise(1).div(3);
    expect(String(await echo(third))).toBe(String(third));
  });
});

const TEXTS = {
  Duration: "P1Y2M3DT4H5M6.789S",
  Instant: "2026-01-02T03:04:05.123456789Z",
  PlainDate: "2026-02-28",
  PlainDateTime: "2026-02-28T12:30:00",
  PlainMonthDay: "12-24",
  PlainTime: "23:59:59.999999999",
  PlainYearMonth: "2026-02",
  ZonedDateTime: "2026-07-01T12:00:00+02:00[Europe/Berlin]",
} as const;

describe.each([
  ["temporal-polyfill", Temporal],
  ["@js-temporal/polyfill", JsTemporal],
])("cairnjs/codecs/temporal with %s", (_, library) => {
  it.each(Object.entries(TEXTS))("keeps a %s", async (name, text) => {
    useTemporal(library);
    // One class stands for all: of the union of sixteen the compiler makes too much.
    const type = library[name as "PlainDate"];
    const value = type.from(text);
    const back = await echo([value]);
    expect((back as unknown[])[0]).toBeInstanceOf(type);
    expect(String(back)).toBe(String(value));
  });

  it("keeps calendars, and instants in zones whose rules have changed since", async () => {
    useTemporal(library);
    const date = library.PlainDate.from("2026-02-28[u-ca=gregory]");
    expect(String(await echo(date))).toBe(String(date));
    const stored = codecs().find(({ name }) => name === "Temporal.ZonedDateTime");
    const changed = stored?.decode("2026-07-01T12:00:00+05:00[Europe/Berlin]") as Temporal.ZonedDateTime;
    expect(String(changed.toInstant())).toBe("2026-07-01T07:00:00Z");
  });
});

it("finds a Temporal by itself when it is imported", async () => {
  await import("cairnjs/codecs/temporal");
  await import("cairnjs/codecs/decimal");
  expect(codecs().map(({ name }) => name)).toEqual(expect.arrayContaining(["Temporal.Instant", "decimal.js"]));
});
