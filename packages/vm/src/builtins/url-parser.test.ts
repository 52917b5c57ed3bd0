import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EngineError } from "../machine/host.ts";
import { parseUrl } from "./url-parser.ts";
import { hostAndPort, serialize, split } from "./url-record.ts";
import { urlSetters } from "./url-setters.ts";

/**
 * Against Node's own URL, the oracle; other versions of Node follow other editions of the standard, so the
 * comparison is made on Node 20 only, and on the others against what Node 20 gave for the samples.
 */
const isOracle = process.versions.node.startsWith("20.");
const SEED = 20_261_115;

// prettier-ignore
const PIECES = [
  "http", "https", "file", "ftp", "ws", "blob", "mailto", "data", "a", "non-special", ":", "/", "//", "\\", "?", "#",
  "@", "b.c", "C:", "c|", "%2e", "..", ".", "localhost", "EXAMPLE.com", "1.2.3.4", "0x7f.1", "256", "[::1]",
  "[1:2::3.4.5.6]", "80", ":443", ":8080", ":0080", "user", "pa:ss", " ", "\t", "\n", "%41", "%zz", "%", "é", "日本", "😀",
  "^", "|", "`", "{", "}", "<", ">", '"', "'", "=", "&", "~", "\ud800", "_", "-", "xn--nxasmq6b", "\0", "\x7f", "ß", "0",
  "%00", "..%2F", "%2E%2E", "//a", "/.", "/..//", "C|/", "d:/x", "file:", "javascript:", "[", "]", ";", "*", "!", "$",
  "\x1f", "99999", "1e2", "0.0.0.0", "09", "1..2", "münchen.de", "東京.jp", "xn--mnchen-3ya.de",
];
const STARTS = ["http://", "https://", "file://", "file:///", "a:", "a://", "a:/", "ws://h", "http:", "ftp://x/", ""];
const BASES = [
  undefined,
  undefined,
  "http://u:p@h:81/a/b/c?q#f",
  "file:///C:/x/y",
  "file://host/a/b",
  "a:opaque",
  "a:/x/y",
  "a://h/x/y?z",
  "https://e.com",
  "file:///",
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join(""));
const address = fc.tuple(fc.constantFrom(...STARTS), text).map(([start, rest]) => start + rest);
const parts = Object.keys(urlSetters) as (keyof typeof urlSetters)[];

describe.runIf(isOracle)("as Node 20's URL", () => {
  test("parses and refuses the same texts, with and without a base", () => {
    fc.assert(
      fc.property(address, fc.constantFrom(...BASES), (input, base) => {
        const ours = orRefused(() => parsed(input, base));
        if (ours === REFUSED) return;
        expect(ours).toBe(native(input, base)?.href ?? null);
      }),
      { seed: SEED, numRuns: 30_000 },
    );
  });

  test("takes a URL apart the same way", () => {
    fc.assert(
      fc.property(address, (input) => {
        const url = native(input);
        if (url === null) return;
        const record = split(url.href);
        expect(serialize(record)).toBe(url.href);
        expect({
          protocol: `${record.scheme}:`,
          username: record.username,
          password: record.password,
          host: hostAndPort(record),
          hostname: record.host ?? "",
          port: record.port === null ? "" : String(record.port),
          pathname: record.path,
          search: record.query ? `?${record.query}` : "",
          hash: record.fragment ? `#${record.fragment}` : "",
        }).toEqual(partsOf(url));
      }),
      { seed: SEED, numRuns: 10_000 },
    );
  });

  test("assigns to parts with the same result", () => {
    const short = fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((pieces) => pieces.join(""));
    const assignment = fc.tuple(fc.constantFrom(...parts), short);
    fc.assert(
      fc.property(address, fc.array(assignment, { maxLength: 4 }), (input, assignments) => {
        const url = native(input);
        if (url === null) return;
        for (const [part, value] of assignments) {
          const record = split(url.href);
          if (orRefused(() => urlSetters[part](record, value)) === REFUSED) return;
          url[part] = value;
          expect([part, value, serialize(record)]).toEqual([part, value, url.href]);
        }
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });

  test("international hosts of the accepted scripts give the same name", () => {
    const letters = fc
      .array(fc.constantFrom(...INTERNATIONAL), { minLength: 1, maxLength: 8 })
      .map((each) => each.join(""));
    let compared = 0;
    fc.assert(
      fc.property(letters, (host) => {
        const input = `http://${host}/`;
        const ours = orRefused(() => parsed(input));
        if (ours === REFUSED) return;
        compared++;
        expect(ours).toBe(native(input)?.href ?? null);
      }),
      { seed: SEED, numRuns: 10_000 },
    );
    expect(compared).toBeGreaterThan(8_000);
  });
});

/** Letters from all over the accepted ranges, with what can stand between them. */
const INTERNATIONAL = [
  ...["a", "Z", "0", "9", "-", "."],
  ...[0xc0, 0x3a3, 0x401, 0x1e00, 0x3041, 0x30a1, 0x4e00, 0x9fc0, 0xac00, 0xd700, 0x1f300, 0x3b1, 0x131].flatMap(
    (start) => Array.from({ length: 24 }, (_, index) => String.fromCodePoint(start + index)),
  ),
];

test("samples, on every version of Node", () => {
  const samples: [input: string, base: string | undefined, href: string | null][] = [
    ["HTTP://User:Pass@EXAMPLE.com:80/a/./b/../c?x=1#y", undefined, "http://User:Pass@example.com/a/c?x=1#y"],
    ["http://a/^{}|`", undefined, "http://a/^%7B%7D|%60"],
    ["a:b c ?q", undefined, "a:b c ?q"],
    ["http://u😀v@h/", undefined, "http://u%F0%9F%98%80v@h/"],
    ["http://münchen.de/ß", undefined, "http://xn--mnchen-3ya.de/%C3%9F"],
    ["http://0x7f.1/", undefined, "http://127.0.0.1/"],
    ["http://[1:0:0:0:0:0:0:1]:81", undefined, "http://[1::1]:81/"],
    ["http://256.256.256.256", undefined, null],
    ["//x/y", "https://e.com", "https://x/y"],
    ["?q", "http://h/a/b?c#d", "http://h/a/b?q"],
    ["../../..", "http://h/a/b/c/d", "http://h/"],
    ["x", "mailto:a", null],
    ["http://h/x/.git/../a", undefined, "http://h/x/.git/../a"],
    ["http://ho st/", undefined, null],
    ["", undefined, null],
  ];
  expect(samples.map(([input, base]) => [input, base, parsed(input, base)])).toEqual(samples);
});

test("international hosts on which the libraries differ are refused", () => {
  for (const host of ["\u0660.com", "a\u200db.com", "xn--a-ecp.ru", "\u1e9e.de", "א.com", "xn--nxasmq6b-"]) {
    expect(() => parsed(`http://${host}/`)).toThrow(EngineError);
  }
});

test("a long path with as many dot segments takes linear time", () => {
  // Copying the rest of the path for each segment would take many times as long as a test may.
  const half = 400_000;
  expect(parsed(`http://h/${"a/".repeat(half)}${"../".repeat(half)}`)).toBe("http://h/");
});

function parsed(input: string, base?: string): string | null {
  const baseRecord = base === undefined ? null : parseUrl(base, null);
  const record = parseUrl(input, baseRecord);
  return record === null ? null : serialize(record);
}

/** Not by `URL.canParse`: once optimised, Node 20's misreads characters from U+0080 to U+00FF. */
function native(input: string, base?: string): URL | null {
  try {
    return new URL(input, base);
  } catch {
    return null;
  }
}

function partsOf(url: URL): Record<string, string> {
  const { protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return { protocol, username, password, host, hostname, port, pathname, search, hash };
}

const REFUSED = Symbol("refused");

function orRefused<T>(run: () => T): T | typeof REFUSED {
  try {
    return run();
  } catch (error) {
    if (error instanceof EngineError && error.code === "UnsupportedBuiltin") return REFUSED;
    throw error;
  }
}
