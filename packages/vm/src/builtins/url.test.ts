import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostContext, toNative } from "../../test/builtins/host-context.ts";
import { setProperty, getProperty } from "../heap/properties.ts";
import { VError, VUrl, type VUrlParams } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { EngineError, Thrown } from "../machine/host.ts";
import type { HostFunction } from "../machine/host.ts";
import { urlOperations } from "./operations-url.ts";
import { urlBuiltins } from "./url.ts";
import { urlParamsBuiltins } from "./url-params.ts";

const hosts = { ...urlBuiltins, ...urlParamsBuiltins };
const context = hostContext(hosts);
const isOracle = process.versions.node.startsWith("20.");
const SEED = 20_261_115;

function call(path: string, self: Value, ...args: Value[]): Value {
  const run: HostFunction = hosts[path]!.call!;
  return run(context, self, args);
}

function newUrl(...args: Value[]): VUrl {
  return urlBuiltins["URL"]!.construct!(context, undefined, args) as VUrl;
}

function ownProperties(error: VError): Record<string, Value> {
  return Object.fromEntries(error.keys().map((key) => [key, error.read(key)]));
}

function thrownBy(run: () => unknown): VError {
  try {
    run();
  } catch (error) {
    if (error instanceof Thrown) return error.value as VError;
    throw error;
  }
  throw new Error("nothing was thrown");
}

// prettier-ignore
const WORDS = ["a", "b", "", "x y", "é", "&", "=", "+", "%", "%41", "日", "\ud800", "?", "#", "'", "a=1", "~*-._", "😀", "\u0000"];
const word = fc.constantFrom(...WORDS);

type Step =
  | [method: "append" | "delete" | "set", name: string, value: string]
  | ["sort"]
  | ["search", string]
  | ["href", string];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom("append", "delete", "set"), word, word),
  fc.constant<["sort"]>(["sort"]),
  fc.tuple(fc.constant("search"), word),
  fc.tuple(fc.constant("href"), fc.constantFrom("http://h/?b=1&a=2", "a:b?c", "http://h/#f")),
);

describe.runIf(isOracle)("as Node 20", () => {
  test("URL and its searchParams follow each other", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("http://h/p?a=1&b=2&a=3#f", "a:b?x=%zz", "https://h", "http://h/?", "blob:http://x/?a"),
        fc.array(step, { maxLength: 8 }),
        (input, steps) => {
          const native = new URL(input);
          const ours = newUrl(input);
          const params = getProperty(context, ours, "searchParams") as VUrlParams;
          for (const [what, ...rest] of steps) {
            if (what === "search" || what === "href") {
              native[what] = rest[0]!;
              setProperty(context, ours, what, rest[0]!);
            } else {
              (native.searchParams[what] as (...args: unknown[]) => void)(...rest);
              call(`URLSearchParams.prototype.${what}`, params, ...rest);
            }
            expect(params.pairs).toEqual([...native.searchParams]);
            expect(ours.href).toBe(native.href);
            expect(getProperty(context, ours, "search")).toBe(native.search);
            expect(getProperty(context, ours, "origin")).toBe(native.origin);
            expect(getProperty(context, ours, "searchParams")).toBe(params);
          }
        },
      ),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  test("URLSearchParams parses, writes, finds and sorts", () => {
    const query = fc.array(fc.oneof(word, fc.constantFrom("&", "=", "&&", "%e6%97", "%E6%97%A5", "%FF")), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(query, word, fc.option(word, { nil: undefined }), (pieces, name, value) => {
        const text = pieces.join("");
        const native = new URLSearchParams(text);
        const ours = urlOperations["newParams"]!(context, [text]) as VUrlParams;
        expect(ours.pairs).toEqual([...native]);
        expect(call("URLSearchParams.prototype.toString", ours)).toBe(native.toString());
        expect(call("URLSearchParams.prototype.get", ours, name)).toBe(native.get(name));
        expect(toNative(call("URLSearchParams.prototype.getAll", ours, name))).toEqual(native.getAll(name));
        expect(call("URLSearchParams.prototype.has", ours, name, value)).toBe(native.has(name, value));
        call("URLSearchParams.prototype.delete", ours, name, value);
        native.delete(name, value);
        call("URLSearchParams.prototype.sort", ours);
        native.sort();
        expect(ours.pairs).toEqual([...native]);
        expect(getProperty(context, ours, "size")).toBe(native.size);
      }),
      { seed: SEED, numRuns: 5_000 },
    );
  });
});

test("the error for what is no URL has Node's properties", () => {
  const error = thrownBy(() => newUrl("zzz", "yyy"));
  expect(error.proto).toBe(context.realm.prototype("TypeError"));
  expect(ownProperties(error)).toMatchObject({
    message: "Invalid URL",
    code: "ERR_INVALID_URL",
    input: "zzz",
    base: "yyy",
  });
  expect(thrownBy(() => newUrl("zzz")).has("base")).toBe(false);
  const assigned = thrownBy(() => setProperty(context, newUrl("http://h"), "href", "zzz"));
  expect(ownProperties(assigned)).toMatchObject({ message: "Invalid URL", code: "ERR_INVALID_URL", input: "zzz" });
});

test("missing arguments and foreign receivers are Node's errors", () => {
  const params = newUrl("http://h").params;
  const messages = [
    () => newUrl(),
    () => call("URL.canParse", undefined),
    () => call("URLSearchParams.prototype.append", params, "a"),
    () => call("URLSearchParams.prototype.get", params),
    () => call("URLSearchParams.prototype.get", undefined, "a"),
    () => call("URL.prototype.toString", params),
    () => urlOperations["requireParams"]!(context, [params, 5]),
  ].map((run) => thrownBy(run).read("message"));
  expect(messages).toEqual([
    'The "url" argument must be specified',
    'The "url" argument must be specified',
    'The "name" and "value" arguments must be specified',
    'The "name" argument must be specified',
    'Value of "this" must be of type URLSearchParams',
    "Receiver must be an instance of class URL",
    'The "callback" argument must be of type function. Received type number (5)',
  ]);
});

test("parameters of a URL whose opaque path ends in a space are not changed", () => {
  const { params } = newUrl("a:b ?c");
  expect(() => call("URLSearchParams.prototype.append", params, "x", "y")).toThrow(EngineError);
});
