import { MalformedValue, NotStorable, decodeNative, encodeNative } from "@cairnjs/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostContext } from "../../test/builtins/host-context.ts";
import { mapBuiltins } from "../builtins/map.ts";
import { urlBuiltins } from "../builtins/url.ts";
import { VForeign } from "../heap/foreign.ts";
import { enumerableOwnKeys, getOwn, putHidden } from "../heap/properties.ts";
import { VError, VRegExp, VUrl } from "../heap/data.ts";
import { VClass } from "../heap/function.ts";
import { VArray, VIntrinsic, VObject, VPlain, type Value } from "../heap/value.ts";
import { EngineError } from "../machine/host.ts";
import { type ValueContext, decodeVm, encodeVm } from "./index.ts";

const SEED = 20_261_115;
const base = hostContext({ ...mapBuiltins, ...urlBuiltins });
const context: ValueContext = { ...base, image: { classesByName: new Map([classNamed("Declined", "RangeError")]) } };

function classNamed(name: string, parentName: string): [string, VClass] {
  const parent = base.realm.builtin(parentName);
  const prototype = new VPlain(base.realm.prototype(parentName));
  const unit = base.realm.builtin(parentName).implementation.prelude!;
  const made = new VClass(parent, 0, name, parent, prototype, unit);
  putHidden(prototype, "constructor", made);
  return [name, made];
}

/** Errors of classes with and without a place in the VM. */
class Declined extends RangeError {}
class Payment extends Error {}
class Card extends Payment {}

const error = fc
  .tuple(
    fc.constantFrom(Error, TypeError, Declined, Payment, Card),
    fc.string(),
    fc.dictionary(fc.string(), fc.integer()),
    fc.boolean(),
  )
  .map(([ErrorClass, message, properties, hasCause]) => {
    const made = hasCause ? new ErrorClass(message, { cause: properties }) : new ErrorClass(message);
    for (const [key, value] of Object.entries(properties)) if (!(key in made)) Object.assign(made, { [key]: value });
    return made;
  });

const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(
    undefined,
    null,
    -0,
    "\ud800",
    "$map",
    new URL("http://münchen.de/ä?b#c"),
    new URLSearchParams("a=1&a=%20é"),
  ),
  fc.date(),
  fc.constant(new Date(NaN)),
  fc.uint8Array(),
  error,
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value")),
    fc.sparseArray(tie("value"), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("$x", "__proto__", "0")), tie("value")),
    fc.array(fc.tuple(tie("value"), tie("value"))).map((entries) => new Map(entries)),
    fc.array(tie("value")).map((members) => new Set(members)),
    tie("value").map((shared) => [shared, { shared }]),
    tie("value").map((item) => {
      const cycle: Record<string, unknown> = { item };
      cycle["self"] = cycle;
      return cycle;
    }),
  ),
}));

test("what is decoded into the VM is encoded again as the same text", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const text = encodeNative(value);
      expect(encodeVm(context, decodeVm(context, text))).toBe(text);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("errors have the class known to the program, and remember the others", () => {
  const decode = (names: string[]): VError => {
    const text = `{"$error":{"names":${JSON.stringify(names)},"message":"m","props":{"code":5}}}`;
    const made = decodeVm(context, text) as VError;
    expect(encodeVm(context, made)).toBe(text);
    return made;
  };
  const own = context.image.classesByName.get("Declined")!;
  expect(decode(["Declined", "RangeError", "Error"]).proto).toBe(own.prototype);
  expect(getOwn(decode(["Declined", "RangeError", "Error"]), "name")).toBeUndefined();
  expect(decode(["Sub", "Declined", "RangeError", "Error"]).proto).toBe(own.prototype);
  expect(getOwn(decode(["Sub", "Declined", "RangeError", "Error"]), "name")?.value).toBe("Sub");
  expect(decode(["ActionTimeout", "Error"]).proto).toBe(context.realm.prototype("cairn.ActionTimeout"));
  const unknown = decode(["Card", "Payment", "Error"]);
  expect(unknown.proto).toBe(context.realm.prototype("Error"));
  expect(getOwn(unknown, "name")).toEqual({ value: "Card", attributes: 5 });
  expect(getOwn(unknown, "stack")?.value).toBe("Card: m");
  expect(enumerableOwnKeys(unknown)).toEqual(["code"]);
});

test("what cannot be stored is refused with its path", () => {
  const { realm } = context;
  const culprits: [Value, string][] = [
    [new VRegExp(realm.prototype("RegExp"), "a", ""), "it is a regular expression"],
    [realm.builtin("Map"), "it is the function Map"],
    [realm.prototype("Map"), "it is an instance of the class Map.prototype without a codec"],
  ];
  for (const [culprit, reason] of culprits) {
    const list = new VArray(realm.arrayPrototype, [1, culprit]);
    expect(() => encodeVm(context, list, "arguments")).toThrow(NotStorable);
    expect(() => encodeVm(context, list, "arguments")).toThrow(`arguments[1] cannot be stored: ${reason}`);
  }
  const map = decodeVm(context, '{"$map":[]}') as VObject;
  map.write("extra", 1);
  expect(() => encodeVm(context, map)).toThrow("value.extra cannot be stored");
});

test("no text makes more than it pays for, and none reaches the host", () => {
  let bytes = 0;
  const meter: ValueContext = {
    ...context,
    charge: (_fuel, more) => {
      bytes += more;
      if (bytes > 1_000_000) throw new EngineError("StateTooLarge", "full");
    },
  };
  expect(() => decodeVm(meter, JSON.stringify(Array.from({ length: 50_000 }, () => ({}))))).toThrow(EngineError);
  expect(() => decodeVm(context, '{"$array":{"length":4294967295,"items":[]}}')).toThrow(EngineError);
  expect(() => decodeVm(context, '{"$url":"nothing"}')).toThrow(MalformedValue);
  const odd = decodeVm(context, '{"__proto__":{"a":1},"constructor":2}') as VObject;
  expect(odd.proto).toBe(context.realm.objectPrototype);
  expect(enumerableOwnKeys(odd)).toEqual(["__proto__", "constructor"]);
});

test("a list of 100,000 nodes is decoded and encoded without recursion", () => {
  let list: unknown = null;
  for (let depth = 0; depth < 100_000; depth++) list = { list };
  const text = encodeNative(list);
  expect(encodeVm(context, decodeVm(context, text)) === text).toBe(true);
});

test("a URL decoded is the VM's own, in its normal form", () => {
  const url = decodeVm(context, '{"$url":"HTTP://H/../a?b"}') as VUrl;
  expect(url.href).toBe("http://h/a?b");
  expect(url.params?.pairs).toEqual([["b", ""]]);
  expect((decodeNative(encodeVm(context, url)) as URL).href).toBe("http://h/a?b");
  expect(context.realm.prototype("URL")).toBeInstanceOf(VIntrinsic);
});

test("an instance whose payload leads back to it, as only a forged snapshot has it, is refused", () => {
  const instance = new VForeign(context.realm.objectPrototype, "decimal.js", undefined);
  for (const payload of [instance, new VArray(context.realm.arrayPrototype, [instance])]) {
    instance.payload = payload;
    expect(() => encodeVm(context, instance)).toThrow(NotStorable);
  }
});
