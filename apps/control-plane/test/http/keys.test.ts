import { describe, expect, it } from "vitest";
import { tokenName } from "../../src/access/token-name.ts";
import type { ControlPlaneOptions } from "../../src/index.ts";
import { openSession } from "../../src/store/sessions.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { dumpTables, formsOf } from "../support/dump-tables.ts";
import { testBed, until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { approved } from "../workflows/basics.ts";

type Json = Readonly<Record<string, unknown>>;

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };

/** A control plane that asks everyone who he is, and knows one token. */
async function opened({ rate }: Pick<ControlPlaneOptions, "rate"> = {}) {
  const bed = await testBed();
  const tokens = [{ token: "settings" }];
  const plane = await openPlane(bed, { listen, tokens, ...(rate === undefined ? {} : { rate }) });
  return { bed, plane, port: plane.httpPort!, ...asking(plane.httpPort!) };
}

function asking(port: number) {
  const ask = async (
    method: string,
    path: string,
    { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    return { status: response.status, body: answer, cookie: response.headers.get("set-cookie") };
  };
  const make = async (token: string, body: object, query = ""): Promise<{ id: string; key: string }> => {
    const made = await ask("POST", `/keys${query}`, { token, body: { name: "k", ...body } });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body as { id: string; key: string };
  };
  const me = async (token: string): Promise<number> => (await ask("GET", "/me", { token })).status;
  return { ask, make, me };
}

describe("keys", () => {
  it("are shown once, stored as hashes, and say who asks", async () => {
    const { bed, ask, make } = await opened();
    const { key, id } = await make("settings", { name: "ci", scopes: ["read", "read"] });
    expect(key).toMatch(/^cairn_[a-z0-9]{8}_[A-Za-z0-9]{43}$/);
    const prefix = key.slice(6, 14);
    expect(await ask("GET", "/me", { token: key })).toMatchObject({
      status: 200,
      body: { name: `the key ci (${prefix})`, scopes: ["read"], namespace: null },
    });
    const shown = await ask("GET", `/keys/${id}`, { token: "settings" });
    expect(shown.body).toMatchObject({
      id,
      prefix,
      createdBy: tokenName({ token: "settings" }),
      expiresAt: null,
      revokedAt: null,
    });
    const stored = await dumpTables(bed);
    expect(stored).toContain(prefix);
    for (const form of formsOf(key.slice(15))) expect(`${stored}${JSON.stringify(shown)}`).not.toContain(form);
    expect(JSON.stringify(await ask("GET", "/keys", { token: "settings" }))).not.toContain(key.slice(15));
    const done = await bed.query<Json>("SELECT action, who, detail FROM cairn.audit_log");
    expect(done).toEqual([
      { action: "key.create", who: tokenName({ token: "settings" }), detail: { name: "ci", scopes: ["read", "read"] } },
    ]);
  });

  it("that expire make none that live longer, and none that live for ever", async () => {
    const { make, ask } = await opened();
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const expiresAt = at(3_600_000);
    const { key } = await make("settings", { scopes: ["admin"], expiresAt });
    const child = (body: object) =>
      ask("POST", "/keys", { token: key, body: { name: "c", scopes: ["read"], ...body } });
    expect(await child({})).toMatchObject({ status: 201, body: { expiresAt } });
    expect(await child({ expiresAt })).toMatchObject({ status: 201, body: { expiresAt } });
    const sooner = at(1_800_000);
    expect(await child({ expiresAt: sooner })).toMatchObject({ status: 201, body: { expiresAt: sooner } });
    expect(await child({ expiresAt: at(7_200_000) })).toMatchObject({ status: 403, body: { code: "Forbidden" } });
    expect((await make("settings", { scopes: ["admin"] })).key).toBeDefined();
  });

  it("that are revoked while they wait for a result do not get it: here at once, elsewhere within seconds", async () => {
    const rest = await openRest({ tokens: [{ token: "settings" }], token: "settings" });
    const other = await openPlane(rest.bed, { listen, tokens: [] });
    const id = await rest.start(approved.name);
    const { make } = asking(rest.plane.httpPort!);
    const gone = await make("settings", { scopes: ["read"] });
    const began = performance.now();
    const waits = [rest.plane, other].map(async ({ httpPort }) => {
      const { status, body } = await asking(httpPort!).ask("GET", `/runs/${id}/result?waitMs=15000`, {
        token: gone.key,
      });
      return { status, code: body["code"], tookMs: performance.now() - began };
    });
    // Whoever is watched has used the key.
    await until(async () => (await rest.bed.query("SELECT FROM cairn.api_keys WHERE last_used_at IS NOT NULL"))[0]);
    expect((await rest.ask("DELETE", `/keys/${gone.id}`)).status).toBe(200);
    for (const { tookMs, ...answer } of await Promise.all(waits)) {
      expect(answer).toEqual({ status: 401, code: "Unauthenticated" });
      expect(tookMs).toBeLessThan(10_000);
    }
  });

  it("have so many sessions: the oldest end", async () => {
    const { bed, make } = await opened();
    const [{ id: keyId }, other] = [
      await make("settings", { scopes: ["read"] }),
      await make("settings", { scopes: ["read"] }),
    ];
    const open = (n: number, id: string): Promise<void> =>
      openSession(bed.sql, Buffer.alloc(32, n), { keyId: id }, 60_000);
    await open(200, other.id);
    for (let n = 0; n < 103; n++) await open(n, keyId);
    const rows = await bed.query<{ hash: Buffer; key_id: string }>("SELECT hash, key_id FROM cairn.sessions");
    const own = rows.filter(({ key_id: of }) => of === keyId).map(({ hash }) => hash[0]);
    expect(own).toHaveLength(100);
    // Of those of one millisecond, any is the oldest.
    expect(own).toEqual(expect.arrayContaining(Array.from({ length: 80 }, (_, n) => n + 23)));
    expect(rows).toHaveLength(101);
  });

  it("of the settings have so many sessions too, each of them", async () => {
    const { bed, ask } = await opened();
    expect((await ask("POST", "/login", { body: { key: "settings" } })).status).toBe(200);
    const [first] = await bed.query<{ mark: string }>("SELECT token_mark AS mark FROM cairn.sessions");
    const open = (n: number, tokenMark: string): Promise<void> =>
      openSession(bed.sql, Buffer.alloc(32, n), { tokenProof: Buffer.alloc(32, n), tokenMark }, 60_000);
    await open(200, "another");
    for (let n = 0; n < 103; n++) await open(n, first!.mark);
    const rows = await bed.query("SELECT token_mark AS mark, count(*)::int AS n FROM cairn.sessions GROUP BY 1");
    expect(rows).toEqual(
      expect.arrayContaining([
        { mark: first!.mark, n: 100 },
        { mark: "another", n: 1 },
      ]),
    );
  });

  it("say when they were used, once a minute", async () => {
    const { bed, make, me } = await opened();
    const { key } = await make("settings", { scopes: ["read"] });
    const used = async (): Promise<number> => {
      const [row] = await bed.query<{ at: Date | null }>("SELECT last_used_at AS at FROM cairn.api_keys");
      return row!.at?.getTime() ?? 0;
    };
    /** One that has not heard of the key yet. */
    const elsewhere = async (): Promise<number> =>
      asking((await openPlane(bed, { listen, tokens: [] })).httpPort!).me(key);
    expect(await used()).toBe(0);
    expect(await me(key)).toBe(200);
    const first = await until(async () => (await used()) || undefined);
    await bed.advance(50_000);
    expect(await elsewhere()).toBe(200);
    await bed.advance(20_000);
    expect(await elsewhere()).toBe(200);
    // Had the one before written it, this one would not have.
    const second = await until(async () => (await used()) > first && used());
    expect(second - first).toBeGreaterThan(65_000);
  });

  it("expire at their time by the clock of the database, though they were used a moment before", async () => {
    // Who is refused so often would not be looked at any more.
    const { bed, ask, make, me } = await opened({ rate: false });
    const [{ now } = { now: 0 }] = await bed.query<{ now: number }>(
      "SELECT extract(epoch FROM cairn.now())::float8 * 1000 AS now",
    );
    const until = now + 600;
    const { key } = await make("settings", { scopes: ["read"], expiresAt: new Date(until).toISOString() });
    let last = 200;
    let lastGood = 0;
    for (let asked = now; last === 200;) {
      last = await me(key);
      if (last === 200) lastGood = asked;
      // Whatever is asked next is asked later than this.
      asked = (await bed.query<{ now: number }>("SELECT extract(epoch FROM cairn.now())::float8 * 1000 AS now"))[0]!
        .now;
    }
    expect(last).toBe(401);
    // Whatever was asked after its time was refused.
    expect(lastGood).toBeLessThan(until);
    expect(lastGood).toBeGreaterThan(now);
    const past = { name: "k", scopes: ["read"], expiresAt: new Date(now).toISOString() };
    expect(await ask("POST", "/keys", { token: "settings", body: past })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("future") },
    });
  });

  it("that are revoked are nobody's: at once here, within seconds elsewhere", async () => {
    const { bed, ask, make, me } = await opened();
    const other = asking((await openPlane(bed, { listen, tokens: [] })).httpPort!);
    const { key, id } = await make("settings", { scopes: ["read"] });
    expect([await me(key), await other.me(key)]).toEqual([200, 200]);
    const revoked = await ask("DELETE", `/keys/${id}`, { token: "settings" });
    const began = performance.now();
    expect(revoked).toMatchObject({ status: 200, body: { id, revokedAt: expect.any(String) } });
    expect(await me(key)).toBe(401);
    await until(async () => (await other.me(key)) === 401);
    expect(performance.now() - began).toBeLessThan(4_000);
    const again = await ask("DELETE", `/keys/${id}`, { token: "settings" });
    expect(again.body["revokedAt"]).toBe(revoked.body["revokedAt"]);
  });

  it("of a namespace see, make and revoke keys of it alone; nobody gives scopes that he lacks", async () => {
    const { ask, make } = await opened();
    const everywhere = await make("settings", { scopes: ["admin"] });
    const billing = await make("settings", { name: "b", scopes: ["admin"] }, "?namespace=billing");
    const media = await make("settings", { scopes: ["admin", "worker"] }, "?namespace=media");
    const own = await make(billing.key, { name: "own", scopes: ["operate"] });
    const list = await ask("GET", "/keys", { token: billing.key });
    expect((list.body["items"] as Json[]).map(({ name, namespace }) => [name, namespace])).toEqual([
      ["own", "billing"],
      ["b", "billing"],
    ]);
    for (const { id } of [everywhere, media]) {
      expect(await ask("GET", `/keys/${id}`, { token: billing.key })).toMatchObject({ status: 404 });
      expect(await ask("DELETE", `/keys/${id}`, { token: billing.key })).toMatchObject({ status: 404 });
      expect(await ask("GET", `/keys/${id}?namespace=media`, { token: billing.key })).toMatchObject({ status: 403 });
    }
    expect(await ask("DELETE", `/keys/${own.id}`, { token: billing.key })).toMatchObject({ status: 200 });
    const worker = { name: "w", scopes: ["worker"] };
    const elsewhere = { name: "e", scopes: ["read"] };
    expect(await ask("POST", "/keys", { token: billing.key, body: worker })).toMatchObject({
      status: 403,
      body: { code: "Forbidden", detail: expect.stringContaining("does not have the scope worker") },
    });
    expect(await ask("POST", "/keys?namespace=media", { token: billing.key, body: elsewhere })).toMatchObject({
      status: 403,
      body: { code: "WrongNamespace" },
    });
    // Nor can who may do less than admin make any.
    const small = await make("settings", { scopes: ["operate", "worker"] });
    expect(await ask("POST", "/keys", { token: small.key, body: elsewhere })).toMatchObject({ status: 403 });
    const page = await ask("GET", "/keys?limit=2", { token: everywhere.key });
    const next = await ask("GET", `/keys?limit=100&cursor=${String(page.body["next"])}`, { token: everywhere.key });
    const ids = [page, next].flatMap(({ body }) => (body["items"] as { id: string }[]).map(({ id }) => id));
    expect(new Set(ids).size).toBe(5);
    const found = async (query: string): Promise<unknown[]> => {
      const { body } = await ask("GET", `/keys?${query}`, { token: everywhere.key });
      return (body["items"] as Json[]).map(({ id }) => id);
    };
    expect(await found("sort=createdAt")).toEqual(ids.toReversed());
    expect(await found("scope=worker")).toEqual([small.id, media.id]);
    expect(await found("name=own&revoked=true")).toEqual([own.id]);
    expect(await found("name=own&revoked=false")).toEqual([]);
    expect(await ask("GET", "/keys?cursor=x", { token: everywhere.key })).toMatchObject({ status: 400 });
  });

  it("without security everyone is anyone", async () => {
    const plane = await openPlane(await testBed(), { listen });
    const { ask } = asking(plane.httpPort!);
    const anyone = { name: "anyone", scopes: ["read", "operate", "admin", "worker"], namespace: null };
    expect(await ask("GET", "/me")).toMatchObject({ status: 200, body: anyone });
    expect(await ask("POST", "/login", { body: { key: "whatever" } })).toEqual({
      status: 200,
      body: anyone,
      cookie: null,
    });
  });
});

describe("logins", () => {
  it("over TLS have a cookie that servers beside this one cannot set, and another one counts for nothing", async () => {
    const { ask, make, port } = await opened();
    const { key } = await make("settings", { name: "ada", scopes: ["operate"] });
    const behindProxy = { "x-forwarded-proto": "https" };
    const [plain, secure] = [
      (await ask("POST", "/login", { body: { key } })).cookie!.split(";", 1)[0]!,
      (await ask("POST", "/login", { body: { key }, headers: behindProxy })).cookie!.split(";", 1)[0]!,
    ];
    const status = async (cookie: string, headers: Record<string, string> = {}): Promise<number> =>
      (await ask("GET", "/me", { headers: { cookie, ...headers } })).status;
    expect([await status(secure, behindProxy), await status(plain)]).toEqual([200, 200]);
    // As a server of a domain beside it, or someone on the way without TLS, could give a browser.
    expect([await status(plain, behindProxy), await status(secure)]).toEqual([401, 401]);
    expect(await status(`${plain}; ${secure}`, behindProxy)).toBe(200);
    expect(await status(`x${secure}`, behindProxy)).toBe(401);
    const redrive = async (origin: string): Promise<number> => {
      const headers = { cookie: secure, origin, ...behindProxy };
      return (await ask("POST", "/outbox/redrive", { body: { all: true }, headers })).status;
    };
    expect([await redrive(`https://127.0.0.1:${port}`), await redrive(`http://127.0.0.1:${port}`)]).toEqual([200, 403]);
    const ended = await ask("POST", "/logout", {
      headers: { cookie: secure, origin: `https://127.0.0.1:${port}`, ...behindProxy },
    });
    expect(ended.cookie).toBe("__Host-cairn_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure");
    expect(await status(secure, behindProxy)).toBe(401);
  });

  it("give a cookie that is as good as the key, from pages of this server, until logout", async () => {
    const { bed, ask, make, port } = await opened();
    const { key } = await make("settings", { name: "ada", scopes: ["operate"] });
    expect(await ask("POST", "/login", { body: { key: "wrong" } })).toMatchObject({ status: 401, cookie: null });
    const login = await ask("POST", "/login", { body: { key } });
    expect(login).toMatchObject({ status: 200, body: { scopes: ["operate"] } });
    expect(login.cookie).toMatch(
      /^cairn_session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const proxied = await ask("POST", "/login", { body: { key }, headers: { "x-forwarded-proto": "https" } });
    expect(proxied.cookie).toMatch(
      /^__Host-cairn_session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = `theme=dark; ${login.cookie!.split(";", 1)[0]}; x=y`;
    const stored = await dumpTables(bed);
    expect(stored).toContain("cairn.sessions");
    const secret = login.cookie!.slice("cairn_session=".length).split(";", 1)[0]!;
    expect(secret).toHaveLength(43);
    for (const form of [...formsOf(secret), Buffer.from(secret, "base64url").toString("hex")]) {
      expect(stored).not.toContain(form);
    }
    expect(await ask("GET", "/me", { headers: { cookie } })).toMatchObject({
      status: 200,
      body: { scopes: ["operate"] },
    });
    // The header counts more, if there is one.
    expect(await ask("GET", "/me", { token: "wrong", headers: { cookie } })).toMatchObject({ status: 401 });
    const redrive = (headers: Record<string, string>) =>
      ask("POST", "/outbox/redrive", { body: { all: true }, headers: { cookie, ...headers } });
    const origin = `http://127.0.0.1:${port}`;
    for (const [headers, status] of [
      [{ origin }, 200],
      [{ "sec-fetch-site": "same-origin" }, 200],
      [{}, 403],
      [{ origin: "http://127.0.0.1:1" }, 403],
      [{ origin: "http://127.0.0.1" }, 403],
      [{ origin: `http://localhost:${port}` }, 403],
      [{ origin: `https://127.0.0.1:${port}` }, 403],
      [{ origin: "null" }, 403],
      [{ "sec-fetch-site": "same-site", origin }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "none" }, 403],
    ] as const) {
      expect(await redrive(headers), JSON.stringify(headers)).toMatchObject({ status });
    }
    expect(await ask("POST", "/logout", { headers: { cookie } })).toMatchObject({ status: 403 });
    expect(await ask("POST", "/logout", { headers: { cookie, origin } })).toMatchObject({
      status: 200,
      cookie: expect.stringContaining("cairn_session=; Max-Age=0"),
    });
    expect(await ask("GET", "/me", { headers: { cookie } })).toMatchObject({ status: 401 });
    expect(await ask("POST", "/logout")).toMatchObject({ status: 401 });
    const done = await bed.query<{ who: string; action: string; status: number }>(
      "SELECT who, action, status FROM cairn.audit_log WHERE action LIKE 'session.%' ORDER BY id",
    );
    expect(done.map(({ action, status }) => `${action} ${status}`)).toEqual([
      "session.open 200",
      "session.open 200",
      "session.close 403",
      "session.close 200",
    ]);
    expect(new Set(done.map(({ who }) => who))).toEqual(new Set([`the key ada (${key.slice(6, 14)})`]));
  });

  it("end with the key, with the token of the settings, and after twelve hours; then they are swept", async () => {
    const { bed, ask, make } = await opened();
    const { key, id } = await make("settings", { scopes: ["read"] });
    const login = async (text: string): Promise<Record<string, string>> => {
      const { cookie } = await ask("POST", "/login", { body: { key: text } });
      return { cookie: cookie!.split(";", 1)[0]! };
    };
    const [byKey, byToken] = [await login(key), await login("settings")];
    const status = async (headers: Record<string, string>, from = ask): Promise<number> =>
      (await from("GET", "/me", { headers })).status;
    expect([await status(byKey), await status(byToken)]).toEqual([200, 200]);
    const unlike = asking((await openPlane(bed, { listen, tokens: [{ token: "another" }] })).httpPort!);
    expect([await status(byKey, unlike.ask), await status(byToken, unlike.ask)]).toEqual([200, 401]);
    await ask("DELETE", `/keys/${id}`, { token: "settings" });
    expect([await status(byKey), await status(byToken)]).toEqual([401, 200]);
    await bed.advance(12 * 60 * 60 * 1_000);
    await until(async () => (await status(byToken)) === 401);
    await login("settings");
    expect(await bed.query("SELECT FROM cairn.sessions")).toHaveLength(3);
    const cairn = await bed.open();
    await cairn.retention.run();
    expect(await bed.query("SELECT FROM cairn.sessions")).toHaveLength(1);
  });
});
