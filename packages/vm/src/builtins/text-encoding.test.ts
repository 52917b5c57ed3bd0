import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostContext, toNative, toVm } from "../../test/builtins/host-context.ts";
import { VBytes, type VError } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { EngineError, Thrown } from "../machine/host.ts";
import { bytesOf } from "./bytes-receiver.ts";
import { textEncodingBuiltins } from "./text-encoding.ts";

const context = hostContext(textEncodingBuiltins);
const SEED = 20_261_115;
const encoder = textEncodingBuiltins["TextEncoder"]!.construct!(context, undefined, []);

function call(path: string, self: Value, ...args: Value[]): Value {
  return textEncodingBuiltins[path]!.call!(context, self, args);
}

function newDecoder(...args: Value[]): Value {
  return textEncodingBuiltins["TextDecoder"]!.construct!(context, undefined, args);
}

/** Past the types. */
function wrong(value: unknown): string {
  return value as string;
}

/** The result, or the class and message of the error. */
function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Thrown) {
      const thrown = error.value as VError;
      return { code: thrown.read("code"), message: thrown.read("message") };
    }
    if (error instanceof EngineError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    return { code, message };
  }
}

const units = fc.constantFrom(
  0x41,
  0x7f,
  0x80,
  0xe9,
  0x7ff,
  0x800,
  0xd7ff,
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
  0xe000,
  0xffff,
);
const text = fc.array(units, { maxLength: 12 }).map((codes) => String.fromCharCode(...codes));

test("encode and encodeInto write what Node writes", () => {
  const native = new TextEncoder();
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 20 }), (each, length) => {
      expect((call("TextEncoder.prototype.encode", encoder, each) as VBytes).bytes).toEqual(native.encode(each));
      const ours = bytesOf(context, new Uint8Array(length));
      const theirs = new Uint8Array(length);
      const counts = toNative(call("TextEncoder.prototype.encodeInto", encoder, each, ours));
      expect(counts).toEqual(native.encodeInto(each, theirs));
      expect(ours.bytes).toEqual(theirs);
    }),
    { seed: SEED, numRuns: 5_000 },
  );
});

// prettier-ignore
const BYTES = [0xef, 0xbb, 0xbf, 0x41, 0xc3, 0xa9, 0xe6, 0x97, 0xa5, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xed, 0xa0, 0x80, 0xc0, 0xe0, 0xf4, 0x90, 0x8f];
const bytes = fc
  .tuple(fc.constantFrom([], [], [], [0xef, 0xbb, 0xbf]), fc.array(fc.constantFrom(...BYTES), { maxLength: 6 }))
  .map(([mark, rest]) => Uint8Array.from([...mark, ...rest]));

test("decode keeps its state between chunks as Node does, after errors too", () => {
  const chunks = fc.array(fc.record({ bytes, stream: fc.boolean() }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), chunks, (fatal, ignoreBOM, list) => {
      const native = new TextDecoder("utf-8", { fatal, ignoreBOM });
      const ours = newDecoder("utf-8", toVm(context, { fatal, ignoreBOM }));
      for (const chunk of list) {
        const options = { stream: chunk.stream };
        const given = bytesOf(context, chunk.bytes);
        const result = outcome(() => call("TextDecoder.prototype.decode", ours, given, toVm(context, options)));
        expect(result).toEqual(outcome(() => native.decode(chunk.bytes, options)));
      }
    }),
    { seed: SEED, numRuns: 20_000 },
  );
});

test("a long text is decoded whole", () => {
  const long = "aé日😀".repeat(20_000);
  const encoded = call("TextEncoder.prototype.encode", encoder, long);
  expect(call("TextDecoder.prototype.decode", newDecoder(), encoded)).toBe(long);
});

test("labels: UTF-8's are accepted, other encodings refused, unknown ones errors", () => {
  for (const label of ["utf8", " UTF-8\n", "unicode-1-1-utf-8", "x-unicode20utf8"])
    expect(() => newDecoder(label)).not.toThrow();
  for (const label of ["latin1", "utf-16le", "shift_jis", "windows-1252", "replacement"]) {
    expect(() => newDecoder(label)).toThrow(`the encoding '${label}' is not supported`);
  }
  for (const label of ["", "utf-7", "\u00a0utf-8", "foo"]) {
    expect(outcome(() => newDecoder(label))).toEqual(outcome(() => new TextDecoder(label)));
  }
});

test("arguments of another type are Node's errors", () => {
  const nativeEncoder = new TextEncoder();
  const cases: [ours: () => unknown, native: () => unknown][] = [
    [() => newDecoder("utf-8", 5), () => new TextDecoder("utf-8", wrong(5) as never)],
    [() => call("TextDecoder.prototype.decode", newDecoder(), 5), () => new TextDecoder().decode(wrong(5) as never)],
    [
      () => call("TextEncoder.prototype.encodeInto", encoder, 5, undefined),
      () => nativeEncoder.encodeInto(wrong(5), new Uint8Array()),
    ],
    [
      () => call("TextEncoder.prototype.encodeInto", encoder, "a", "b".repeat(40)),
      () => nativeEncoder.encodeInto("a", wrong("b".repeat(40)) as never),
    ],
    [
      () => call("TextEncoder.prototype.encode", undefined, "a"),
      () => Reflect.apply(TextEncoder.prototype.encode, undefined, ["a"]),
    ],
  ];
  for (const [ours, native] of cases) {
    const result = outcome(ours);
    expect(result).toEqual(outcome(native));
    expect(result).toHaveProperty("code");
  }
});
