import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { heard, tell } from "../src/threads/told.ts";

/** As the main thread hears it. */
const carried = (value: unknown): unknown => heard(structuredClone(tell(value)));

class Declined extends Error {
  readonly code = "E_DECLINED";
  readonly response = { retry: (): void => {} };
}

describe("what a thread logs", () => {
  it("is what it was, or else its text", () => {
    expect(carried({ at: new Date(0), list: [1n] })).toEqual({ at: new Date(0), list: [1n] });
    expect(carried(() => {})).toMatch(/Function/);
  });

  it("keeps the class of an error, its properties and its causes", () => {
    const error = new Declined("no money", { cause: new TypeError("empty") });
    const known = carried(error) as Declined;
    expect(known).toBeInstanceOf(Error);
    expect(known.constructor.name).toBe("Declined");
    expect(known).toMatchObject({ name: "Error", message: "no money", stack: error.stack, code: "E_DECLINED" });
    expect(known.response).toMatch(/retry/);
    expect(known.cause).toMatchObject({ name: "TypeError", message: "empty" });
    expect(Object.keys(known)).toEqual(["code", "response"]);
    expect(inspect(known)).toContain("no money");
  });

  it("keeps all errors of several", () => {
    const { errors } = carried(new AggregateError([new RangeError("a"), "b"], "both")) as AggregateError;
    expect(errors).toMatchObject([{ name: "RangeError", message: "a" }, "b"]);
  });

  it("never throws, whatever it is", () => {
    const circular = new Error("circular");
    circular.cause = circular;
    const unreadable = Object.defineProperty(new Error("half"), "code", {
      get: () => {
        throw new Error("no");
      },
    });
    const hostile = {
      call: () => {},
      [inspect.custom]: () => {
        throw new Error("no");
      },
    };
    expect(carried(circular)).toMatchObject({ message: "circular", cause: { message: "circular" } });
    expect(carried(unreadable)).toMatchObject({ message: "half", code: "(cannot be read)" });
    expect(carried(hostile)).toBe("(cannot be read)");
    const strange = carried(Object.assign(new Error("no text"), { name: () => {} }));
    expect(strange).toMatchObject({ message: "no text", name: expect.stringContaining("Function") });
    expect(carried(Symbol("s"))).toBe("Symbol(s)");
    expect(carried(Object.assign(new Error("without"), { constructor: undefined }))).toMatch(/without/);
  });
});
