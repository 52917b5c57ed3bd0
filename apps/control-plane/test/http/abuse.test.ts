import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { rawPost, sayRaw } from "../support/raw-http.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, echo, sums } from "../workflows/basics.ts";

const GET = "GET /v1/health HTTP/1.1\r\nhost: localhost\r\n";
const START = JSON.stringify({ type: sums.name, payload: { n: 1 } });
const deep = (count: number): string => `${"[".repeat(count)}${"]".repeat(count)}`;

/** Bodies that are no good: read as HTTP, and refused as what they are. */
const BODIES: readonly (readonly [what: string, bytes: string, status: number, says: string])[] = [
  ["malformed JSON", rawPost("/v1/runs", '{"type": '), 400, "InvalidMessage"],
  ["no JSON at all", rawPost("/v1/runs", "\u0000\u0001\u0002"), 400, "InvalidMessage"],
  ["an empty body", rawPost("/v1/runs", ""), 400, "InvalidMessage"],
  ["wrong types", rawPost("/v1/runs", '{"type": 5}'), 400, "type: must be a text"],
  ["an array", rawPost("/v1/runs", "[]"), 400, "InvalidMessage"],
  ["unknown fields", rawPost("/v1/runs", '{"type":"x","admin":true}'), 400, "admin"],
  ["a prototype", rawPost("/v1/runs", '{"type":"x","__proto__":{"admin":true}}'), 400, "__proto__"],
  ["a name twice: the last counts", rawPost("/v1/runs", '{"type":"first","type":"second"}'), 404, "second"],
  [
    "things within things, 100,000 deep",
    rawPost("/v1/runs", `{"type":"${echo.name}","payload":${deep(1e5)}}`),
    400,
    "deep",
  ],
  ["the same where nothing is wanted", rawPost("/v1/runs/x/pause", deep(1e5)), 400, "InvalidMessage"],
  ["another type", rawPost("/v1/runs", START, ["content-type: text/plain"]), 415, "UnsupportedMediaType"],
  ["a form", rawPost("/v1/runs", "type=x", ["content-type: application/x-www-form-urlencoded"]), 415, "Unsupported"],
  ["a type that is none", rawPost("/v1/runs", START, ["content-type: ;;;"]), 415, "UnsupportedMediaType"],
  [
    "what is packed, before it is unpacked",
    rawPost("/v1/runs", gzipSync(Buffer.alloc(1_000_000)).toString("latin1"), ["content-encoding: gzip"]),
    415,
    "content-encoding",
  ],
  ["100 MB, when it is announced", rawPost("/v1/runs", "", ["content-length: 104857600"]), 413, "PayloadTooLarge"],
  ["2 MB where 1 MB is enough", rawPost("/v1/runs/x/pause", "", ["content-length: 2097152"]), 413, "PayloadTooLarge"],
  ["a length of 20 digits", rawPost("/v1/runs", "", ["content-length: 99999999999999999999"]), 400, "InvalidMessage"],
];

/** What is no HTTP/1.1, or could be read in two ways by two who pass it on: the connection ends. */
const NO_REQUESTS: readonly (readonly [what: string, bytes: string, status: number])[] = [
  ["a length and chunks", rawPost("/v1/runs", "0\r\n\r\n", ["content-length: 5", "transfer-encoding: chunked"]), 400],
  ["two lengths", rawPost("/v1/runs", "{}", ["content-length: 2", "content-length: 3"]), 400],
  ["a length with a sign", rawPost("/v1/runs", "{}", ["content-length: +2"]), 400],
  ["a length that is none", rawPost("/v1/runs", "{}", ["content-length: two"]), 400],
  ["chunks that are not the last encoding", rawPost("/v1/runs", "{}", ["transfer-encoding: chunked, identity"]), 400],
  ["a chunk of no size", rawPost("/v1/runs", "zz\r\n{}\r\n", ["transfer-encoding: chunked"]), 400],
  ["a space before a colon", `${GET}content-length : 5\r\n\r\n`, 400],
  ["a header over two lines", `${GET}x: a\r\n b: c\r\n\r\n`, 400],
  ["a header with a NUL", `${GET}x: a\0b\r\n\r\n`, 400],
  ["a name with strange letters", `${GET}x y: a\r\n\r\n`, 400],
  ["no host", "GET /v1/health HTTP/1.1\r\n\r\n", 400],
  ["a method that is none", "GRAB /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n", 400],
  ["a path with a space", "GET /v1/ health HTTP/1.1\r\nhost: localhost\r\n\r\n", 400],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001", 400],
  ["headers of 20 KB", `${GET}x: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  ["10,000 headers", `${GET}${"a: b\r\n".repeat(10_000)}\r\n`, 431],
  ["a path of 20 KB", `GET /v1/runs/${"a".repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
];

it("what is wrong is refused as what it is, and the next who asks is answered", async () => {
  const rest = await openRest();
  const port = rest.plane.httpPort!;
  const wrong: string[] = [];
  const bodies = BODIES.map(async ([what, bytes, status, says]) => {
    const { statuses, text } = await sayRaw(port, Buffer.from(bytes, "latin1"));
    const isRight = statuses.length === 1 && statuses[0] === status && text.includes(says);
    if (!isRight) wrong.push(`${what}: ${statuses.join()}, not ${status}: ${text.slice(-300)}`);
  });
  const others = NO_REQUESTS.map(async ([what, bytes, status]) => {
    const { statuses, text, isClosed } = await sayRaw(port, Buffer.from(bytes, "latin1"), { lingerMs: 10_000 });
    // Node.js answers by itself that there is no host, and says no more.
    const isProblem = what === "no host" || (text.includes("application/problem+json") && text.includes("nosniff"));
    if (statuses.length === 1 && statuses[0] === status && isClosed && isProblem) return;
    wrong.push(`${what}: ${statuses.join()}, not ${status}${isClosed ? "" : ", and open"}: ${text.slice(-300)}`);
  });
  await Promise.all([...bodies, ...others]);
  expect(wrong).toEqual([]);
  // Of nothing of this a second request was made that nobody had sent.
  expect((await rest.ask("GET", "/runs")).body["items"]).toEqual([]);
  expect(rest.warnings).toEqual([]);
});

it("requests behind each other on a connection are answered in their order, up to the first that is none", async () => {
  const rest = await openRest();
  const port = rest.plane.httpPort!;
  const start = rawPost("/v1/runs", START);
  const three = await sayRaw(port, `${GET}\r\n${start}GET /v1/nothing HTTP/1.1\r\nhost: localhost\r\n\r\n`, {
    answers: 3,
  });
  expect(three).toMatchObject({ statuses: [200, 201, 404], isClosed: false });
  const smuggled = rawPost("/v1/runs", `0\r\n\r\n${start}`, ["content-length: 5", "transfer-encoding: chunked"]);
  const cut = await sayRaw(port, `${GET}\r\n${smuggled}`, { answers: 2 });
  // The first one is answered or not, but never by what is wrong with the second.
  expect([[], [200]]).toContainEqual(cut.statuses.slice(0, 1));
  expect(cut).toMatchObject({ isClosed: true });
  expect(cut.statuses).not.toContain(201);
  expect((await rest.ask("GET", "/runs")).body["items"]).toHaveLength(1);
  // Nor by what is wrong with the body of one behind it.
  const waiting = await rest.start(approved.name);
  const wait = `GET /v1/runs/${waiting}/result?waitMs=20000 HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const broken = rawPost("/v1/runs", "zz\r\n", ["transfer-encoding: chunked"]);
  expect(await sayRaw(port, `${wait}${broken}`)).toMatchObject({ statuses: [], isClosed: true });
});
