import { expect, test } from "vitest";
import { bodyImage, failureOf, imageOf, resultOf, runRestoring, runToEnd } from "../runs.ts";

/** With a snapshot and a new machine between every two instructions, inside callbacks too. */
const bodies: [name: string, body: string, result: unknown][] = [
  [
    "collections that change while they are walked",
    `const seen = [];
    const map = new Map([["a", 1], ["b", 2], ["c", 3]]);
    map.forEach((value, key) => {
      seen.push(key, value);
      if (key === "a") { map.delete("a"); map.delete("b"); map.set("d", 4); }
    });
    const set = new Set([1, 2, 3]);
    for (const member of set) { seen.push(member); if (member < 3) { set.delete(member); set.add(member + 10); } }
    return seen;`,
    ["a", 1, "c", 3, "d", 4, 1, 2, 3, 11, 12],
  ],
  [
    "views of one buffer",
    `const bytes = Uint8Array.from([5, 3, 9, 1], (item) => item + 1);
    const view = bytes.subarray(1, 3);
    view.sort((a, b) => b - a);
    const seen = [...bytes, view.byteOffset];
    const iterator = view.entries();
    iterator.next();
    view[1] = 200;
    seen.push(...bytes.map((item) => item * 2), ...[...iterator].flat());
    return seen;`,
    [6, 10, 4, 2, 1, 12, 20, 144, 4, 1, 200],
  ],
  [
    "a URL and its parameters",
    `const url = new URL("http://h/?a=1&b=2");
    const params = url.searchParams;
    const seen = [];
    params.forEach((value, name) => { seen.push(name, value); if (name === "a") params.append("c", "3"); });
    url.search = "?z=1";
    seen.push(url.href, [...params].flat().join(), params === url.searchParams);
    seen.push(new URLSearchParams({ a: { toString() { return "x"; } } }).toString());
    return seen;`,
    ["a", "1", "b", "2", "c", "3", "http://h/?z=1", "z,1", true, "a=x"],
  ],
  [
    "a decoder in the middle of a character, and a DOMException",
    `const decoder = new TextDecoder("utf-8", { fatal: true });
    const seen = [decoder.decode(new Uint8Array([0xe6, 0x97]), { stream: true })];
    await act(1);
    seen.push(decoder.decode(new Uint8Array([0xa5])));
    try { atob("*"); } catch (error) { await act(2); seen.push(error.name, error.message, error.code, String(error)); }
    return seen;`,
    ["", "日", "InvalidCharacterError", "Invalid character", 5, "InvalidCharacterError: Invalid character"],
  ],
];

test.each(bodies)("%s", (_name, body, result) => {
  const image = bodyImage(body);
  expect(resultOf(runToEnd(image))).toEqual(result);
  expect(resultOf(runRestoring(image))).toEqual(result);
});

test("module-level bytes and URLs can be read and not written, not through views or parameters either", () => {
  const image = (body: string) =>
    imageOf(`
const BYTES = new Uint8Array([1, 2, 3]);
const BASE = new URL("http://h/?a=1");
const TABLE = new Map([["k", new Set([1])]]);
export default workflow("test.body", async (): Promise<any> => { ${body} });`);
  const read = image(
    `return [BYTES.subarray(1)[0], BASE.searchParams.get("a"), BASE.searchParams === BASE.searchParams, [...TABLE.get("k")]];`,
  );
  expect(resultOf(runRestoring(read))).toEqual([2, "1", true, [1]]);
  const writes = [
    "bytes[0] = 9",
    "bytes.fill(0)",
    "bytes.subarray(1)[0] = 9",
    "bytes.subarray(1).fill(9)",
    "Object.defineProperty(bytes.subarray(1), 0, { value: 9 })",
    "base.hash = 'x'",
    "base.searchParams.append('b', '2')",
    "table.set('x', 1)",
    "table.get('k').add(2)",
  ];
  const failures = writes.map((write) =>
    failureOf(runToEnd(image(`const bytes = BYTES, base = BASE, table = TABLE; ${write}; return "written";`))),
  );
  expect(failures).toEqual(writes.map(() => "CapturedValueWritten"));
});
