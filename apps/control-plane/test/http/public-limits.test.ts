import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { RequestLimits } from "../../src/http/guard/request-limits.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const tokens = [{ token: "one" }];
const one = { authorization: "Bearer one" };

async function open(burst: number): Promise<(path: string, headers?: Record<string, string>) => Promise<Response>> {
  const rate = { perSecond: 0.001, burst };
  const plane = await openPlane(await testBed(), { listen, tokens, rate });
  return (path, headers = {}) => fetch(`http://127.0.0.1:${plane.httpPort}${path}`, { headers });
}

it("whatever is asked for without a key counts for its address; keys and probes have limits of their own", async () => {
  const paths = [
    ["/openapi.json", 200],
    ["/docs", 200],
    ["/docs/page.js", 200],
    ["/nothing", 404],
    ["/v1/nothing", 404],
    ["/v1/%zz", 400],
    ["/v1/me", 401],
    ["/metrics", 401],
    ["/v1/tokens/none", 404],
  ] as const;
  const ask = await open(paths.length);
  for (const [index, [path, status]] of paths.entries()) {
    const answer = await ask(path);
    const left = [answer.headers.get("ratelimit-limit"), answer.headers.get("ratelimit-remaining")];
    expect([path, answer.status, left]).toEqual([
      path,
      status,
      [String(paths.length), String(paths.length - index - 1)],
    ]);
  }
  for (const [path] of paths) {
    const answer = await ask(path);
    expect([path, answer.status, await answer.json()]).toMatchObject([path, 429, { code: "RateLimited" }]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(900);
  }
  expect((await ask("/v1/me", one)).status).toBe(200);
  for (const path of ["/health", "/ready", "/v1/health/live", "/v1/health/ready"]) {
    const { status, headers } = await ask(path);
    expect([path, status, headers.get("ratelimit-limit")]).toEqual([path, 200, "1000"]);
  }
});

it("probes are answered at any sane rate, whatever else an address asks, and not at every", () => {
  const limits = new RequestLimits({ perSecond: 1, burst: 1 }, () => 0);
  const reply = { header: () => reply, headers: () => reply } as unknown as FastifyReply;
  const from = (ip: string): FastifyRequest => ({ ip }) as FastifyRequest;
  limits.admit(from("10.0.0.1"), reply, null);
  expect(() => limits.admit(from("10.0.0.1"), reply, null)).toThrow("Too many requests");
  for (let time = 0; time < 1_000; time++) limits.admitProbe(from("10.0.0.1"), reply);
  expect(() => limits.admitProbe(from("10.0.0.1"), reply)).toThrow("Too many requests");
  limits.admitProbe(from("10.0.0.2"), reply);
});

it("who has the document, or its page, is not sent it again", async () => {
  const ask = await open(1_000);
  for (const path of ["/openapi.json", "/docs", "/docs/page.css", "/docs/page.js"]) {
    const first = await ask(path);
    const etag = first.headers.get("etag")!;
    const text = await first.text();
    expect([path, Number(first.headers.get("content-length"))]).toEqual([path, Buffer.byteLength(text)]);
    for (const known of [etag, `"other", W/${etag}`]) {
      const again = await ask(path, { "if-none-match": known });
      expect([path, again.status, await again.text()]).toEqual([path, 304, ""]);
    }
    const other = await ask(path, { "if-none-match": '"other"' });
    expect([path, other.status, await other.text()]).toEqual([path, 200, text]);
  }
});
