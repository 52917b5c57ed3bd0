import { describe, expect, it } from "vitest";
import { encodeNative } from "@cairnjs/ir";
import { freezeCaptures } from "./frozen-captures.ts";

const values = () => ({
  list: [1, { deep: true }],
  map: new Map([["k", { inside: 1 }]]),
  set: new Set([1]),
  date: new Date(5),
  url: new URL("https://example.com/?a=1"),
  params: new URLSearchParams("a=1"),
  bytes: new Uint8Array([1, 2, 3]),
  error: new Error("x", { cause: { of: "it" } }),
});

type Values = ReturnType<typeof values>;

const WRITES: Record<string, (captured: Values) => unknown> = {
  property: (captured) => (captured.list = []),
  "array element": ({ list }) => (list[0] = 2),
  "array method": ({ list }) => list.push(2),
  "object in an array": ({ list }) => ((list[1] as { deep: boolean }).deep = false),
  "Map.set": ({ map }) => map.set("k", { inside: 2 }),
  "Map.delete": ({ map }) => map.delete("k"),
  "Map.clear": ({ map }) => map.clear(),
  "value in a Map": ({ map }) => (map.get("k")!.inside = 2),
  "Set.add": ({ set }) => set.add(2),
  "Date.setTime": ({ date }) => date.setTime(6),
  "Date.setUTCFullYear": ({ date }) => date.setUTCFullYear(2000),
  "URL.pathname": ({ url }) => (url.pathname = "/x"),
  "URL.searchParams": ({ url }) => url.searchParams.append("b", "2"),
  "URLSearchParams.set": ({ params }) => params.set("a", "2"),
  "Uint8Array.set": ({ bytes }) => bytes.set([9]),
  "Uint8Array.fill": ({ bytes }) => bytes.fill(9),
  "cause of an error": ({ error }) => ((error.cause as { of: string }).of = "that"),
};

describe("what a step captured", () => {
  it.each(Object.entries(WRITES))("cannot be written: %s", (_, write) => {
    const frozen = freezeCaptures(values());
    const before = encodeNative(values());
    expect(() => write(frozen.captures as Values)).toThrow(TypeError);
    expect(encodeNative(frozen.captures)).toBe(before);
  });

  it("fails afterwards where bytes were written one by one", () => {
    const frozen = freezeCaptures(values());
    expect(() => frozen.verify()).not.toThrow();
    (frozen.captures as Values).bytes[1] = 9;
    expect(() => frozen.verify()).toThrow(TypeError);
  });

  it("can be read, stored and passed on as before", () => {
    const { map, set, date, url, bytes } = freezeCaptures(values()).captures as Values;
    expect([map.get("k"), set.has(1), date.toISOString(), url.searchParams.get("a"), url.pathname]).toEqual([
      { inside: 1 },
      true,
      "1970-01-01T00:00:00.005Z",
      "1",
      "/",
    ]);
    expect(new TextDecoder().decode(bytes)).toBe("\u0001\u0002\u0003");
  });

  it("may contain itself", () => {
    const list: unknown[] = [];
    list.push(list);
    expect(() => (freezeCaptures(list).captures as unknown[]).push(1)).toThrow(TypeError);
  });
});
