import { expect, it } from "vitest";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";
import { sayRaw } from "../support/raw-http.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const NAMED = "http://localhost:5173";

const UPGRADE = [
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];

async function open(options: object) {
  const { httpPort: port } = await openPlane(await testBed(), { listen, corsOrigins: [NAMED], ...options });
  const say = async (start: string, headers: readonly string[]): Promise<number> => {
    const text = [`${start} HTTP/1.1`, ...headers, "", ""].join("\r\n");
    return (await sayRaw(port!, text, { lingerMs: 0 })).statuses[0]!;
  };
  return { port, say };
}

it("with security off, what browsers were made to ask by pages of others is refused", async () => {
  const { port, say } = await open({});
  const own = `host: localhost:${port}`;
  const foreign: readonly (readonly string[])[] = [
    // A name of theirs that has this machine's address.
    [`host: evil.example:${port}`],
    ["host: localhost.evil.example"],
    ["host: 10.0.0.5"],
    [`host: evil.example:${port}`, `origin: http://evil.example:${port}`, "sec-fetch-site: same-origin"],
    [own, "origin: https://evil.example"],
    [own, "origin: null"],
    [own, "origin: http://localhost:1"],
    [own, "sec-fetch-site: cross-site", "sec-fetch-mode: no-cors"],
    [own, "sec-fetch-site: same-site"],
  ];
  for (const headers of foreign) {
    const about = headers.join("; ");
    for (const start of ["GET /v1/runs", "GET /metrics", "GET /health", "POST /v1/runs/bulk", "GET /docs"]) {
      expect(await say(start, headers), `${start} ${about}`).toBe(403);
    }
    expect(await say("GET /ws", [...headers, ...UPGRADE]), about).toBe(403);
  }
  // Followed, and not by a script: seen, and nothing is done.
  const followed = [own, "sec-fetch-site: cross-site", "sec-fetch-mode: navigate", "sec-fetch-dest: document"];
  expect(await say("GET /v1/runs", followed)).toBe(200);
  expect(await say("GET /ws", [...followed, ...UPGRADE])).toBe(403);
  expect(await say("POST /v1/runs", followed)).toBe(403);
});

it("with security off, programs of this machine, its own pages and those that are named are answered", async () => {
  const { port, say } = await open({});
  const own = `host: LOCALHOST:${port}`;
  const local: readonly (readonly string[])[] = [
    [own],
    [`host: 127.0.0.1:${port}`],
    [`host: [::1]:${port}`],
    [own, `origin: http://localhost:${port}`],
    [own, "origin: null", "sec-fetch-site: same-origin"],
    [own, "sec-fetch-site: none"],
    [own, `origin: ${NAMED}`, "sec-fetch-site: same-site"],
  ];
  for (const headers of local) expect(await say("GET /v1/runs", headers), headers.join("; ")).toBe(200);
  for (const headers of [[own], [own, `origin: ${NAMED}`]]) {
    expect(await say("GET /ws", [...headers, ...UPGRADE])).toBe(101);
  }
});

it("with security on, a host may have any name", async () => {
  const { say } = await open({ tokens: [{ token: "t" }] });
  expect(await say("GET /v1/runs", ["host: cairn.example.com", "authorization: Bearer t"])).toBe(200);
});
