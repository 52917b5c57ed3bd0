import { describe, expect, it } from "vitest";
import { decodeNative, encodeNative } from "./index.ts";
import type { NativeErrorClass } from "./index.ts";

class AppError extends Error {}
class PaymentError extends AppError {
  readonly code: number;

  constructor(code: number, options?: ErrorOptions) {
    super(`declined with ${code}`, options);
    this.code = code;
  }
}

const errorClasses = new Map<string, NativeErrorClass>([
  ["AppError", AppError],
  ["PaymentError", PaymentError],
]);

describe("errors", () => {
  it("carry names, message, cause and properties; instanceof holds where the classes are known", () => {
    const error = new PaymentError(51, { cause: new TypeError("inner") });
    const text = encodeNative(error);
    expect(text).toBe(
      '{"$error":{"names":["PaymentError","AppError","Error"],"message":"declined with 51",' +
        '"cause":{"$error":{"names":["TypeError","Error"],"message":"inner"}},"props":{"code":51}}}',
    );
    const back = decodeNative(text, { errorClasses }) as PaymentError;
    expect(back).toBeInstanceOf(PaymentError);
    expect(back.cause).toBeInstanceOf(TypeError);
    expect([back.message, back.code, back.name, back.stack]).toEqual([
      "declined with 51",
      51,
      "Error",
      "PaymentError: declined with 51",
    ]);
    expect(Object.keys(back)).toEqual(["code"]);
  });

  it("of unknown classes are of the nearest known one, named, and keep their names", () => {
    const text = encodeNative(new PaymentError(1));
    const stranger = decodeNative(text) as Error;
    expect(Object.getPrototypeOf(stranger)).toBe(Error.prototype);
    expect(String(stranger)).toBe("PaymentError: declined with 1");
    expect(Object.keys(stranger)).toEqual(["code"]);
    expect(encodeNative(stranger)).toBe(text);
    const half = decodeNative(text, { errorClasses: new Map([["AppError", AppError]]) }) as Error;
    expect(half).toBeInstanceOf(AppError);
    expect(half.name).toBe("PaymentError");
    expect(encodeNative(half)).toBe(text);
    expect(encodeNative(decodeNative(encodeNative(stranger), { errorClasses }))).toBe(text);
  });

  it("take names from the list of classes, so that minifying changes nothing", () => {
    const Minified = { a: class a extends Error {} }.a;
    const named = new Map<string, NativeErrorClass>([["OrderError", Minified]]);
    const text = encodeNative(new Minified("x"), { errorClasses: named });
    expect(text).toBe('{"$error":{"names":["OrderError","Error"],"message":"x"}}');
    expect(decodeNative(text, { errorClasses: named })).toBeInstanceOf(Minified);
  });

  it("keep a name of their own, wherever it was set, and its place among the properties", () => {
    const assigned = Object.assign(new Error("m"), { code: 1, name: "Custom" });
    const text = '{"$error":{"names":["Error"],"message":"m","props":{"code":1,"name":"Custom"}}}';
    expect(encodeNative(assigned)).toBe(text);
    const hidden = Object.defineProperty(new Error("m"), "name", { value: "Hidden" });
    expect(encodeNative(hidden)).toBe('{"$error":{"names":["Error"],"message":"m","props":{"name":"Hidden"}}}');
    const unknown = text.replace('["Error"]', '["Far","Error"]');
    expect(encodeNative(decodeNative(unknown))).toBe(unknown);
  });

  it("keep what is own only: no message, an undefined cause, errors of an AggregateError", () => {
    expect(encodeNative(new Error())).toBe('{"$error":{"names":["Error"]}}');
    expect(Object.hasOwn(decodeNative('{"$error":{"names":["Error"]}}') as object, "message")).toBe(false);
    expect(encodeNative(new Error("", { cause: undefined }))).toBe(
      '{"$error":{"names":["Error"],"message":"","cause":{"$undefined":true}}}',
    );
    const aggregate = decodeNative(encodeNative(new AggregateError([1, new Error("x")], "all"))) as AggregateError;
    expect(aggregate).toBeInstanceOf(AggregateError);
    expect(aggregate.errors).toEqual([1, new Error("x")]);
    expect(Object.keys(aggregate)).toEqual([]);
    const odd = new Error("x");
    Object.assign(odd, { message: 5 });
    expect(encodeNative(odd)).toBe('{"$error":{"names":["Error"],"props":{"message":5}}}');
  });

  it("of the DOM keep name and message, which are not own", () => {
    const abort = new DOMException("stopped", "AbortError");
    const back = decodeNative(encodeNative(abort)) as Error;
    expect([back.name, back.message, back instanceof Error]).toEqual(["AbortError", "stopped", true]);
  });
});

describe("parts of an error that cannot be stored", () => {
  it("are left out, with all that was met in them only", () => {
    const shared = { id: 1 };
    const error = Object.assign(new Error("request failed", { cause: Symbol("cause") }), {
      config: { shared, list: [shared, { transform: () => 1 }] },
      code: "E_FAILED",
      status: shared,
      socket: new (class Socket {})(),
      [Symbol("kind")]: 1,
    });
    expect(encodeNative([error, shared])).toBe(
      '[{"$error":{"names":["Error"],"message":"request failed","props":' +
        '{"code":"E_FAILED","status":{"$def":[0,{"id":1}]}}}},{"$ref":0}]',
    );
    const only = Object.assign(new Error("x"), { run: () => 1, self: undefined as unknown });
    only.self = only;
    expect(encodeNative(only)).toBe(
      '{"$def":[0,{"$error":{"names":["Error"],"message":"x","props":{"self":{"$ref":0}}}}]}',
    );
  });

  it("belong to the innermost error", () => {
    const inner = Object.assign(new Error("inner"), { bad: [() => 1], good: 1 });
    const outer = new Error("outer", { cause: { inner } });
    expect(encodeNative(outer)).toBe(
      '{"$error":{"names":["Error"],"message":"outer","cause":{"inner":' +
        '{"$error":{"names":["Error"],"message":"inner","props":{"good":1}}}}}}',
    );
  });

  it("do not hide what is not storable outside of the error", () => {
    const shared = { deep: { run: () => 1 } };
    const error = Object.assign(new Error("x"), { shared });
    expect(() => encodeNative([error, shared])).toThrow("value[1].deep.run cannot be stored");
  });

  it("are walked once each, not once for each way that leads there", () => {
    let bad: object = { run: () => 1 };
    for (let i = 0; i < 200; i++) {
      const above: Error = Object.assign(new Error("x"), { left: bad, right: bad });
      bad = { above, run: () => 1 };
    }
    expect(encodeNative(Object.assign(new Error("top"), { bad }))).toBe(
      '{"$error":{"names":["Error"],"message":"top"}}',
    );
  });

  it("may be inside a codec's payload", () => {
    class Box {
      readonly content: unknown = [() => 1];
    }
    const codec = {
      name: "box",
      matches: (value: object) => value instanceof Box,
      encode: (value: unknown) => (value as Box).content,
      decode: () => new Box(),
    };
    const error: { box: Box; self?: unknown } = Object.assign(new Error("x"), { box: new Box() });
    error.self = error;
    expect(encodeNative(error, { codecs: [codec] })).toBe(
      '{"$def":[0,{"$error":{"names":["Error"],"message":"x","props":{"self":{"$ref":0}}}}]}',
    );
  });
});
