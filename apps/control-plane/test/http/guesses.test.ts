import { expect, it } from "vitest";
import { RequestLimits } from "../../src/http/guard/request-limits.ts";
import { newKeyText } from "../../src/access/key-text.ts";
import { Refused } from "../../src/hub/refused.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";
import { testKeyOf } from "../support/test-keys.ts";
import { openRaw, rawPost, sayRaw } from "../support/raw-http.ts";
import { clientMethods, connectTo, ask as askGrpc } from "../support/test-worker.ts";
import { registerRequestToProto } from "@cairnjs/protocol";
import type { ControlPlaneOptions } from "../../src/index.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
const tokens = [{ token: "one" }, { token: "two" }];

async function open(options: ControlPlaneOptions = {}) {
  const bed = await testBed();
  const plane = await openPlane(bed, { listen, tokens, ...options });
  const port = plane.httpPort!;
  const login = (key: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
  const client = connectTo(plane.port);
  const overGrpc = (token: string): Promise<string> =>
    askGrpc(
      client,
      clientMethods.register,
      registerRequestToProto({ namespace: "default", workflows: [], actions: [] }),
      token,
    ).then(
      () => "registered",
      (error: { code: string }) => error.code,
    );
  const me = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/v1/me`, { headers })).status;
  return { bed, port, login, overGrpc, me };
}

it("logins that fail are guesses like any other: an address has so many, over REST and gRPC together", async () => {
  const { login, overGrpc, me } = await open();
  expect((await login("one")).status).toBe(200);
  const statuses = [];
  for (let time = 0; time < 15; time++) statuses.push((await login(`guess-${time}`)).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const codes = [];
  // One comes back each second.
  while (codes.length < 60 && codes.at(-1) !== "RateLimited") codes.push(await overGrpc(`guess-${codes.length}`));
  expect([codes[0], codes.at(-1)]).toEqual(["Unauthenticated", "RateLimited"]);
  const right = { authorization: "Bearer two" };
  const [late, code, status] = await Promise.all([login("two"), overGrpc("two"), me(right)]);
  expect([late.status, Number(late.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect([code, status]).toEqual(["RateLimited", 429]);
  // Who was right before is let in.
  expect([(await login("one")).status, await overGrpc("one")]).toEqual([200, "registered"]);
});

it("a key that was not seen before is let in, however often its address was wrong; one that is wrong again is no other guess", async () => {
  const { bed, login, overGrpc, me } = await open();
  const fresh = await testKeyOf(bed, ["admin", "worker"]);
  const other = await testKeyOf(bed, ["admin", "worker"]);
  // A worker whose token is over says it again and again.
  for (let time = 0; time < 50; time++) expect(await me({ authorization: "Bearer old" })).toBe(401);
  expect(await me({ authorization: "Bearer two" })).toBe(200);
  let status = 401;
  for (let time = 0; status === 401; time++) status = (await login(`guess-${time}`)).status;
  expect(status).toBe(429);
  expect(await me({ authorization: `Bearer ${fresh.key}` })).toBe(200);
  expect(await overGrpc(other.key)).toBe("registered");
  // Who says nothing is told what is wanted.
  expect(await me({})).toBe(401);
});

it("keys that nobody has cost their address lookups, of which it has so many", async () => {
  let now = 0;
  const limits = new RequestLimits({ perSecond: 1, burst: 1 }, () => now);
  let lookups = 0;
  const guess = (ip: string): Promise<string> =>
    limits
      .authenticated({ ip, credential: newKeyText().text }, null, () => {
        lookups += 1;
        return Promise.reject(new Refused("Unauthenticated", "no"));
      })
      .catch((error: Refused) => error.code);
  const codes = [];
  for (let time = 0; time < 600; time++) codes.push(await guess("10.0.0.1"));
  expect([lookups, codes.at(-1)]).toEqual([500, "RateLimited"]);
  expect(await guess("10.0.0.2")).toBe("Unauthenticated");
  now += 1_000;
  expect(await guess("10.0.0.1")).toBe("Unauthenticated");
});

it("a key that was wrong is not looked up again within its minute, however often it is said; then it costs another lookup", async () => {
  let now = 0;
  const limits = new RequestLimits({ perSecond: 1, burst: 1 }, () => now);
  const lookups = new Map<string, number>();
  const say = (credential: string): Promise<string> =>
    limits
      .authenticated({ ip: "10.0.0.1", credential }, null, () => {
        lookups.set(credential, (lookups.get(credential) ?? 0) + 1);
        return Promise.reject(new Refused("Unauthenticated", "no"));
      })
      .catch((error: Refused) => `${error.code}: ${error.message}`);
  const keys = Array.from({ length: 500 }, () => newKeyText().text);
  for (let turn = 0; turn < 5; turn++) {
    for (const key of keys) expect(await say(key)).toBe("Unauthenticated: no");
    // Longer than what the database said is remembered.
    now += 5_000;
  }
  expect([...lookups.values()]).toEqual(keys.map(() => 1));
  now = 60_000;
  for (const key of keys) await say(key);
  expect([...lookups.values()]).toEqual(keys.map(() => 2));
  expect(await say(newKeyText().text)).toMatch(/^RateLimited/);
});

it("a caller is the same one however the header is spelled, and however often he logs in", async () => {
  const { me, login } = await open({ rate: { perSecond: 0.001, burst: 4 } });
  const cookies = [];
  for (let time = 0; time < 2; time++) {
    cookies.push((await login("one")).headers.get("set-cookie")!.split(";", 1)[0]!);
  }
  const spelled = [
    { authorization: "Bearer one" },
    { authorization: "bearer    one" },
    { cookie: cookies[0]! },
    { cookie: `a=1; ${cookies[1]!}; b=2` },
    { authorization: "BEARER  one", cookie: "a=3" },
    { cookie: `c=4; ${cookies[0]!}` },
  ];
  const statuses = [];
  for (const headers of spelled) statuses.push(await me(headers));
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect(await me({ authorization: "Bearer two" })).toBe(200);
});

it("addresses of IPv6 share their guesses with their network, which one person has", async () => {
  const limits = new RequestLimits({ perSecond: 1, burst: 1 }, () => 0);
  const guess = (ip: string, credential: string): Promise<unknown> =>
    limits.authenticated({ ip, credential }, null, () => Promise.reject(new Refused("Unauthenticated", "no")));
  for (let time = 0; time < 20; time++) {
    await expect(guess(`2001:db8:1:2::${time.toString(16)}`, `${time}`)).rejects.toMatchObject({
      code: "Unauthenticated",
    });
  }
  await expect(guess("2001:db8:1:2:ffff::1", "x")).rejects.toMatchObject({ code: "RateLimited" });
  await expect(guess("2001:db8:1:3::1", "x")).rejects.toMatchObject({ code: "Unauthenticated" });
});

it("who has neither key nor wait token has nothing read of what he sends", async () => {
  const { port } = await open();
  const large = rawPost("/v1/tokens/x", "{", ["content-length: 16000000"]);
  // Answered while the body has not come, however many there are.
  for (let time = 0; time < 20; time++) expect((await sayRaw(port, large, { lingerMs: 0 })).statuses).toEqual([404]);
  const login = await sayRaw(port, rawPost("/v1/login", "{", ["content-length: 20000"]), { lingerMs: 0 });
  expect(login.statuses).toEqual([413]);
  const socket = await openRaw(port, large);
  expect((await sayRaw(port, rawPost("/v1/login", '{"key":"one"}'), { lingerMs: 0 })).statuses).toEqual([200]);
  socket.destroy();
});

it("WebSockets behind a proxy that is trusted, by its network, are those of whom it names", async () => {
  const { port } = await open({ trustedProxies: ["127.0.0.0/8"] });
  const upgrade = async (address: string, token: string): Promise<number> => {
    const lines = [
      "GET /ws HTTP/1.1",
      "host: cairn.example",
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      `x-forwarded-for: 8.8.8.8, ${address}`,
      `authorization: Bearer ${token}`,
    ];
    return (await sayRaw(port, [...lines, "", ""].join("\r\n"), { lingerMs: 0 })).statuses[0]!;
  };
  const statuses = [];
  for (let time = 0; time < 25; time++) statuses.push(await upgrade("10.1.1.1", `guess-${time}`));
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  expect(await upgrade("10.1.1.2", "guess")).toBe(401);
  expect(await upgrade("10.1.1.2", "two")).toBe(101);
});

it("a key that was once said in a wrong way is still right", async () => {
  const { bed, me, overGrpc } = await open();
  const { key } = await testKeyOf(bed, ["read"]);
  for (const spelled of [key, `Basic ${key}`, `Bearer ${key} x`])
    expect(await me({ authorization: spelled })).toBe(401);
  expect(await me({ authorization: `Bearer ${key}` })).toBe(200);
  expect(await overGrpc(key)).toBe("Forbidden");
});
