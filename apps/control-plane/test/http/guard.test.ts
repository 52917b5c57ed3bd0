import { describe, expect, it } from "vitest";
import { Buckets } from "../../src/http/guard/buckets.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { openRaw, rawPost } from "../support/raw-http.ts";
import type { ControlPlaneOptions } from "../../src/index.ts";
import fc from "fast-check";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const tokens = [{ token: "one" }, { token: "two" }];

async function open(options: ControlPlaneOptions): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const plane = await openPlane(await testBed(), { listen, ...options });
  return (path, init) => fetch(`http://127.0.0.1:${plane.httpPort}${path}`, init);
}

const as = (token: string, more: Readonly<Record<string, string>> = {}): RequestInit => ({
  headers: { authorization: `Bearer ${token}`, ...more },
});

describe("a bucket", () => {
  it("never gives more than its burst and what came since, and never less", () => {
    const steps = fc.array(fc.record({ passMs: fc.nat(2_000), takes: fc.nat(20) }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), steps, (perSecond, burst, all) => {
        let now = 0;
        const buckets = new Buckets({ perSecond, burst }, () => now);
        let tokens = burst;
        for (const { passMs, takes } of all) {
          now += passMs;
          tokens = Math.min(burst, tokens + (passMs / 1_000) * perSecond);
          for (let time = 0; time < takes; time++) {
            const { isTaken, left, waitMs } = buckets.take("a");
            expect(isTaken).toBe(tokens >= 1);
            if (isTaken) tokens -= 1;
            expect(left).toBe(Math.floor(tokens));
            expect(waitMs > 0).toBe(tokens < 1);
          }
        }
        expect(buckets.take("b").isTaken).toBe(true);
      }),
    );
  });

  it("is forgotten when too many others came since", () => {
    const buckets = new Buckets({ perSecond: 1, burst: 1 }, () => 0);
    expect(buckets.take("first").isTaken).toBe(true);
    expect(buckets.take("first").isTaken).toBe(false);
    for (let other = 0; other < 10_000; other++) buckets.take(String(other));
    expect(buckets.take("first").isTaken).toBe(true);
  });
});

describe("requests", () => {
  it("are limited for each who asks, who is told how many are left", async () => {
    const ask = await open({ tokens, rate: { perSecond: 0.001, burst: 3 } });
    const answers = [];
    for (let time = 0; time < 4; time++) answers.push(await ask("/v1/health", as("one")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]!.headers.get("ratelimit-limit")).toBe("3");
    expect(answers.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["2", "1", "0", "0"]);
    expect(Number(answers[3]!.headers.get("retry-after"))).toBeGreaterThan(900);
    expect(await answers[3]!.json()).toMatchObject({ status: 429, code: "RateLimited" });
    expect((await ask("/v1/health", as("two"))).status).toBe(200);
    for (let time = 0; time < 10; time++) expect((await ask("/health")).status).toBe(200);
  });

  it("with wrong tokens are not looked at any more after a while; tokens that were right before are", async () => {
    const ask = await open({ tokens });
    expect((await ask("/v1/health", as("one"))).status).toBe(200);
    const statuses = [];
    for (let time = 0; time < 30; time++) statuses.push((await ask("/v1/health", as(`guess-${time}`))).status);
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
    // A guess that is right is answered like any other.
    expect((await ask("/v1/health", as("two"))).status).toBe(429);
    expect((await ask("/v1/health", as("one"))).status).toBe(200);
    expect((await ask("/metrics", as("three"))).status).toBe(429);
  });

  it("that log in with wrong tokens are not looked at either", async () => {
    const ask = await open({ tokens });
    const logIn = (key: string): Promise<Response> =>
      ask("/v1/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key }),
      });
    expect((await logIn("one")).status).toBe(200);
    for (let time = 0; time < 30; time++) await logIn(`guess-${time}`);
    const refused = await logIn("two");
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    expect((await ask("/v1/health", as("two"))).status).toBe(429);
    expect((await logIn("one")).status).toBe(200);
  });

  it("behind a proxy that is trusted are those of whom it names", async () => {
    const ask = await open({ tokens, trustedProxies: ["127.0.0.1"] });
    const of = (address: string, token: string): Promise<Response> =>
      ask("/v1/health", as(token, { "x-forwarded-for": address, "x-forwarded-proto": "https" }));
    for (let time = 0; time < 25; time++) await of("10.1.1.1", `guess-${time}`);
    expect((await of("10.1.1.1", "guess")).status).toBe(429);
    const other = await of("10.1.1.2", "two");
    expect(other.status).toBe(200);
    expect(other.headers.get("strict-transport-security")).toContain("max-age");
  });

  it("are not limited where nobody is asked who they are, unless that is said", async () => {
    const ask = await open({});
    const answer = await ask("/v1/health");
    expect(answer.headers.get("ratelimit-limit")).toBeNull();
    const limited = await open({ rate: { perSecond: 0.001, burst: 1 } });
    expect((await limited("/v1/health")).status).toBe(200);
    expect((await limited("/v1/health")).status).toBe(429);
  });

  it("have only so much memory for their bodies together, by what has come of them, which is given back", async () => {
    const plane = await openPlane(await testBed(), { listen, tokens });
    const port = plane.httpPort!;
    const part = (token: string, bytes: number): string =>
      rawPost("/v1/runs", " ".repeat(bytes), [`content-length: ${16 * 1024 * 1024}`, `authorization: Bearer ${token}`]);
    const whole = (token: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/v1/runs`, {
        ...as(token, { "content-type": "application/json" }),
        method: "POST",
        body: JSON.stringify({ type: "nothing.like.this", payload: "x".repeat(800_000) }),
      });
    // Who says that much comes, and sends next to nothing, takes nothing from anybody.
    const announced = await Promise.all(Array.from({ length: 20 }, () => openRaw(port, part("one", 1))));
    expect((await whole("one")).status).toBe(404);
    for (const socket of announced) socket.destroy();
    // 64 MB are for one: four of nearly 16 MB, and no fifth of them.
    const sent = await Promise.all(Array.from({ length: 5 }, () => openRaw(port, part("one", 15_900_000))));
    const answers = sent.map(
      (socket) => new Promise<string>((resolve) => socket.once("data", (text) => resolve(`${text}`))),
    );
    const refused = await Promise.race(answers);
    expect(refused).toMatch(/^HTTP\/1.1 429 /);
    expect(refused).toContain("retry-after: 1");
    expect((await whole("two")).status).toBe(404);
    for (const socket of sent) socket.destroy();
    await until(async () => (await whole("one")).status === 404);
  });

  it("that say their size too late are refused for it, and end nothing when they go", async () => {
    const plane = await openPlane(await testBed(), { listen, tokens });
    const port = plane.httpPort!;
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(0x100000, 32), Buffer.from("\r\n")]);
    for (const [path, chunks] of [
      ["/v1/runs", 17],
      ["/v1/runs/batch", 65],
    ] as const) {
      const head = rawPost(path, "", ["transfer-encoding: chunked", "authorization: Bearer one"]);
      const socket = await openRaw(port, head);
      const answered = new Promise<string>((resolve) =>
        socket.once("data", (part) => resolve(part.toString("latin1"))),
      );
      for (let index = 0; index < chunks; index++) socket.write(chunk);
      expect(await answered).toMatch(/^HTTP\/1.1 413 /);
      // He goes in the middle of one.
      await new Promise((resolve) => socket.write("100000\r\n  ", resolve));
      socket.resetAndDestroy();
    }
    expect((await fetch(`http://127.0.0.1:${port}/v1/health`, as("one"))).status).toBe(200);
  });

  it("refuse options that cannot be right", async () => {
    const bed = await testBed();
    const wrong: ControlPlaneOptions[] = [
      { rate: { perSecond: 0, burst: 1 } },
      { corsOrigins: ["https://a.example/"] },
      { trustedProxies: ["somewhere"] },
      { trustedProxies: ["10.0.0.0/33"] },
      { security: false, corsOrigins: ["*"] },
      { tokens: [{ token: "a" }, { token: "b" }, { token: "a", namespace: "billing" }] },
    ];
    for (const options of wrong) await expect(openPlane(bed, options)).rejects.toMatchObject({ code: "InvalidOption" });
  });
});

describe("pages of other origins", () => {
  const origin = "https://admin.example.com";

  it("may read nothing by default, and are not even told that they may not", async () => {
    const ask = await open({});
    for (const method of ["GET", "OPTIONS"]) {
      const { headers } = await ask("/v1/runs", {
        method,
        headers: { origin, "access-control-request-method": "POST" },
      });
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("may read what they are named for, without cookies", async () => {
    const ask = await open({ corsOrigins: [origin] });
    const preflight = await ask("/v1/runs", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    const answer = await ask("/v1/runs", { headers: { origin } });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("vary")).toContain("origin");
    const other = await ask("/v1/runs", { headers: { origin: "https://evil.example.com" } });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    expect(other.headers.get("vary")).toContain("origin");
    // Mistakes too, or a page could not tell what was wrong.
    const missing = await ask("/v1/nothing", { headers: { origin } });
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, origin]);
  });

  it("may all read with *, and say who they are by a key", async () => {
    const ask = await open({ tokens, corsOrigins: ["*"] });
    const answer = await ask("/v1/runs", as("one", { origin }));
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("answers", () => {
  it("all say that they are no page, are not kept, and are what they are; none says who made it", async () => {
    const ask = await open({});
    const paths = [
      "/health",
      "/ready",
      "/metrics",
      "/openapi.json",
      "/docs",
      "/docs/page.js",
      "/v1/runs",
      "/v1/runs/x",
    ];
    for (const path of [...paths, "/nothing", "/v1/%zz"]) {
      const { headers, status } = await ask(path);
      const about = `${path} ${status}`;
      expect(headers.get("x-content-type-options"), about).toBe("nosniff");
      expect(headers.get("content-security-policy"), about).toContain("frame-ancestors 'none'");
      expect(headers.get("content-security-policy"), about).toContain("default-src 'none'");
      // What is the same for everybody may be kept, by who asks each time whether it still is.
      const isPage = /^\/(?:docs|openapi)/.test(path);
      expect(headers.get("cache-control"), about).toBe(isPage ? "no-cache" : "no-store");
      expect(headers.get("server"), about).toBeNull();
      expect(headers.get("x-powered-by"), about).toBeNull();
      // Only over TLS is it known that there is any.
      expect(headers.get("strict-transport-security"), about).toBeNull();
    }
  });

  it("to HEAD and OPTIONS, and to methods that a path does not have, say what there is", async () => {
    const ask = await open({});
    const head = await ask("/v1/runs", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const options = await ask("/v1/runs", { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
    const put = await ask("/v1/runs/x/pause", { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
    expect(await put.json()).toMatchObject({ code: "MethodNotAllowed", status: 405 });
    expect((await ask("/v1/nothing", { method: "OPTIONS" })).status).toBe(404);
    expect((await ask("/v1/runs", { method: "PATCH" })).status).toBe(405);
  });
});
