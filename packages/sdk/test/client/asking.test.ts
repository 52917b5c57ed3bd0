import { describe, expect, it } from "vitest";
import { type CairnClient, type CairnError, createClient, type StartsRefused } from "../../src/client/index.ts";
import { type FakePlane, fakePlane, json, problem } from "./fake-plane.ts";

const RETRY = { baseMs: 1, capMs: 4, forMs: 2_000 };

function clientOf(plane: FakePlane, others: Partial<Parameters<typeof createClient>[0]> = {}): CairnClient {
  return createClient({ url: plane.url, retry: RETRY, ...others });
}

function started(body: string): unknown {
  return { id: (JSON.parse(body) as { id: string }).id, existed: false };
}

describe("requests", () => {
  it("are made again, the same, when they had no answer or were to come later", async () => {
    const plane = await fakePlane((response, { body }, count) => {
      if (count === 1) return void response.destroy();
      if (count === 2) return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
      if (count === 3) return problem(response, 503, "Unavailable");
      if (count === 4) return problem(response, 429, "RateLimited", { "retry-after": "0" });
      if (count === 5)
        return void response.writeHead(201, { "content-length": "100" }).write("{", () => response.destroy());
      json(response, 201, started(body));
    });
    const run = await clientOf(plane).start(
      "a.b.v1",
      { at: new Date(5) },
      { runAt: new Date(9), ttl: "90 s", tags: ["x"] },
    );
    expect(plane.asked).toHaveLength(6);
    expect(new Set(plane.asked.map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(plane.asked[0]!.body)).toEqual({
      ...{ type: "a.b.v1", payload: { at: { $date: 5 } }, id: run.id, tags: ["x"] },
      ...{ runAt: "1970-01-01T00:00:00.009Z", ttlMs: 90_000 },
    });
    expect(run.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Math.abs(Number.parseInt(run.id.replace("-", "").slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  });

  it("keep the key of a signal, and that of an order", async () => {
    const plane = await fakePlane((response, _, count) =>
      count % 2 === 1 ? void response.destroy() : json(response, 202, { id: "x", status: "leased", phase: "ready" }),
    );
    const run = clientOf(plane).run("x");
    await run.signal("go", 5n);
    await run.retry();
    const [first, second, third, fourth] = plane.asked;
    expect(first!.body).toBe(second!.body);
    expect(JSON.parse(first!.body)).toMatchObject({
      name: "go",
      value: { $bigint: "5" },
      key: expect.any(String) as string,
    });
    expect(third!.headers["idempotency-key"]).toBe(fourth!.headers["idempotency-key"]);
    expect(third!.headers["idempotency-key"]).toEqual(expect.any(String));
    expect(first!.headers["idempotency-key"]).toBeUndefined();
  });

  it("with a signal have the key that they are given, and tell it if the signal may have been sent", async () => {
    const plane = await fakePlane((response) => json(response, 202, { id: "x", status: "leased", phase: "ready" }));
    const key = "0b5ad3b2-7d33-4c1c-9d0a-0d9f1f8f5a11";
    await clientOf(plane).run("x").signal("go", undefined, { key });
    expect(JSON.parse(plane.asked[0]!.body)).toEqual({ name: "go", key, value: { $undefined: true } });
    const silent = await fakePlane((response) => void response.destroy());
    const brief = { retry: { forMs: 0 } };
    const error = await clientOf(silent, brief)
      .run("x")
      .signal("go", 1)
      .catch((thrown: unknown) => thrown as CairnError);
    const sent = JSON.parse(silent.asked[0]!.body) as { key: string };
    const message = `No control plane answers at ${silent.url}: the signal may be sent, with the key ${sent.key}`;
    expect(error).toMatchObject({ code: "NoAnswer", inDoubt: sent.key, message });
    await expect(clientOf(silent, brief).run("x").signal("go", 1, { key })).rejects.toMatchObject({ inDoubt: key });
    const refusing = await fakePlane((response) => problem(response, 409, "RunEnded"));
    await expect(clientOf(refusing).run("x").signal("go", 1, { key })).rejects.toMatchObject({ inDoubt: undefined });
  });

  it("are not made again if that is not safe, or of no use", async () => {
    const broken = await fakePlane((response) => void response.destroy());
    await expect(clientOf(broken).request("POST", "/outbox/redrive", { body: { all: true } })).rejects.toMatchObject({
      ...{ code: "NoAnswer", status: 0, message: `No control plane answers at ${broken.url}` },
    });
    expect(broken.asked).toHaveLength(1);
    for (const status of [400, 401, 403, 404, 409, 413, 500]) {
      const plane = await fakePlane((response) => problem(response, status, "WrongStatus"));
      await expect(clientOf(plane).run("x").retry()).rejects.toMatchObject({ status, code: "WrongStatus" });
      expect(plane.asked).toHaveLength(1);
    }
    const limited = await fakePlane((response, _, count) =>
      count === 1 ? problem(response, 429, "RateLimited") : json(response, 200, { changed: 3 }),
    );
    expect(await clientOf(limited).request("POST", "/outbox/redrive", { body: { all: true } })).toEqual({ changed: 3 });
  });

  it("that make a run tell its id if it may be there, and only then", async () => {
    const silent = await fakePlane((response) => void response.destroy());
    const brief = { retry: { forMs: 0 } };
    const error = await clientOf(silent, brief)
      .start("a.b.v1")
      .catch((thrown: unknown) => thrown as CairnError);
    const { id } = JSON.parse(silent.asked[0]!.body) as { id: string };
    const message = `No control plane answers at ${silent.url}: the run ${id} may be there`;
    expect(error).toMatchObject({
      code: "NoAnswer",
      status: 0,
      inDoubt: id,
      message,
      cause: expect.any(Error) as Error,
    });
    const gateway = await fakePlane((response) => problem(response, 504, "Unavailable"));
    const doubted = { inDoubt: expect.any(String) as string, status: 504 };
    await expect(clientOf(gateway, brief).start("a.b.v1")).rejects.toMatchObject(doubted);
    await expect(clientOf(gateway, brief).run("x").fork(2)).rejects.toMatchObject(doubted);
    for (const [status, code] of [
      [404, "NotFound"],
      [429, "RateLimited"],
    ] as const) {
      const refusing = await fakePlane((response) => problem(response, status, code));
      await expect(clientOf(refusing, brief).start("a.b.v1")).rejects.toMatchObject({ code, inDoubt: undefined });
    }
  });

  it("end after the time that they have, or at once if they are told to come back later than that", async () => {
    const plane = await fakePlane((response) => problem(response, 503, "Unavailable", { "retry-after": "3600" }));
    await expect(clientOf(plane).run("x").status()).rejects.toMatchObject({ code: "Unavailable", status: 503 });
    expect(plane.asked).toHaveLength(1);
    const never = await fakePlane((response) => problem(response, 503, "Unavailable"));
    await expect(
      clientOf(never, { retry: { forMs: 0 } })
        .run("x")
        .status(),
    ).rejects.toMatchObject({ status: 503 });
    expect(never.asked).toHaveLength(1);
  });

  it("go to the next control plane when one is away, and stay with it", async () => {
    const away = await fakePlane((response) => void response.destroy());
    const there = await fakePlane((response, { body }) => json(response, 201, started(body)));
    const client = createClient({
      url: [`${away.url}/`, there.url],
      retry: { baseMs: 100_000, capMs: 100_000, forMs: 2_000 },
    });
    for (let index = 0; index < 3; index++) await client.start("a.b.v1");
    expect(away.asked).toHaveLength(1);
    expect(there.asked).toHaveLength(3);
  });

  it("say who asks, in which namespace, below a path", async () => {
    const plane = await fakePlane((response) => json(response, 200, { items: [], next: null }));
    let count = 0;
    const key = (): Promise<string> => Promise.resolve(`key-${++count}`);
    const client = createClient({ url: `${plane.url}/cairn/`, key, namespace: "blue" });
    for await (const _ of client.runs({ status: ["failed", "cancelled"], since: new Date(5) }));
    await client.request("GET", "/workers", { query: { limit: 5 } });
    expect(plane.asked.map(({ url }) => url)).toEqual([
      "/cairn/v1/runs?status=failed%2Ccancelled&since=1970-01-01T00%3A00%3A00.005Z&limit=500",
      "/cairn/v1/workers?limit=5",
    ]);
    expect(plane.asked.map(({ headers }) => [headers.authorization, headers["cairn-namespace"]])).toEqual([
      ["Bearer key-1", "blue"],
      ["Bearer key-2", "blue"],
    ]);
    await expect(createClient({ url: plane.url, key: "a\nb" }).run("x").status()).rejects.toThrow(
      "The key has a character",
    );
    for (const url of ["", "cairn", "ftp://a", "http://a?b=c", "http://me:you@a"]) {
      expect(() => createClient({ url })).toThrow("url is the address of a control plane");
    }
    expect(() => createClient({ url: [] })).toThrow("takes the url");
    expect(() => createClient({ url: `${plane.url}/v1/` })).toThrow("url is what stands before /v1");
    const wrong = [new Date(Number.NaN), "2026-11-16" as unknown as Date];
    for (const time of wrong) {
      await expect(client.start("a.b.v1", 1, { runAt: time })).rejects.toThrow("runAt is a Date");
      await expect(client.run("x").fork(1, { deadline: time })).rejects.toThrow("deadline is a Date");
      await expect(client.runs({ since: time }).next()).rejects.toThrow("since is a Date");
    }
  });

  it("say so when whoever answers is no control plane", async () => {
    const page = await fakePlane(
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Hi</p>"),
    );
    await expect(clientOf(page).run("x").status()).rejects.toMatchObject({
      code: "NoControlPlane",
      message: `What answers at ${page.url} is no control plane: it says 200`,
    });
    const moved = await fakePlane((response) => void response.writeHead(301, { location: "https://b.c/" }).end());
    await expect(clientOf(moved).start("a.b.v1")).rejects.toThrow("is no control plane: it leads to https://b.c/");
    const other = await fakePlane((response) => json(response, 404, { message: "Not found" }));
    await expect(clientOf(other).run("x").status()).rejects.toMatchObject({ code: "NoControlPlane", status: 404 });
  });

  it("for a list have as many items as are wanted, of pages as large as they may be", async () => {
    const plane = await fakePlane((response, { url }) => {
      const asked = new URL(url, "http://a").searchParams;
      const [from, limit] = [Number(asked.get("cursor") ?? 0), Number(asked.get("limit"))];
      json(response, 200, { items: Array.from({ length: limit }, (_, n) => from + n), next: String(from + limit) });
    });
    const client = clientOf(plane);
    const listed = async (query: object): Promise<number> => {
      let count = 0;
      for await (const _ of client.list<number>("/workers", { ...query })) count += 1;
      return count;
    };
    expect(await listed({ limit: 2 })).toBe(2);
    expect(await listed({ limit: "3" })).toBe(3);
    expect(await listed({ limit: 700, cursor: "10" })).toBe(700);
    const asked = plane.asked.map(({ url }) => url.split("?")[1]);
    expect(asked).toEqual(["limit=2", "limit=3", "limit=500&cursor=10", "limit=200&cursor=510"]);
    for (const limit of [-1, 1.5, "x", Number.NaN]) await expect(listed({ limit })).rejects.toThrow("limit is a whole");
    for (const limit of [-1, 1.5]) await expect(client.runs({ limit }).next()).rejects.toThrow("limit is a whole");
    for (const none of [{ type: [] }, { status: [] }, { phase: [] }])
      await expect(client.runs(none).next()).rejects.toThrow(`${Object.keys(none)[0]!} is an empty list`);
    expect(plane.asked).toHaveLength(4);
  });

  it("for something that is no JSON are answered with its text", async () => {
    const plane = await fakePlane((response, { url }) => {
      if (url === "/v1/login") return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Hi</p>");
      const isText = url === "/v1/metrics";
      response.writeHead(200, { "content-type": isText ? "text/plain; version=0.0.4" : "application/json" }).end("5");
    });
    const client = clientOf(plane);
    expect(await client.request<string>("GET", "/metrics")).toBe("5");
    // Neither what a proxy says to people, nor JSON that no control plane answers with.
    for (const path of ["/login", "/other"] as const)
      await expect(client.request("GET", path)).rejects.toMatchObject({ code: "NoControlPlane" });
  });

  it("end with the client, or with their own signal", async () => {
    const silent = await fakePlane(() => {});
    const controller = new AbortController();
    const client = clientOf(silent, { signal: controller.signal });
    const reason = new Error("page closed");
    const [status, result] = [client.run("x").status(), client.run("x").result()];
    setTimeout(() => controller.abort(reason), 20);
    await expect(status).rejects.toBe(reason);
    await expect(result).rejects.toBe(reason);
    await expect(client.start("a.b.v1")).rejects.toBe(reason);
    await expect(clientOf(silent).request("GET", "/health", { signal: AbortSignal.timeout(20) })).rejects.toMatchObject(
      {
        name: "TimeoutError",
      },
    );
  });
});

describe("waiting for a result", () => {
  it("goes on while control planes end and come back, and asks again until there is one", async () => {
    const plane = await fakePlane((response, _, count) => {
      if (count === 1) return json(response, 202, { id: "x", status: "leased", phase: "running" });
      if (count === 2) return void response.destroy();
      if (count === 3) return problem(response, 503, "Closed");
      json(response, 200, { id: "x", status: "succeeded", phase: null, result: { $date: 5 } });
    });
    expect(await clientOf(plane).run("x").result()).toEqual(new Date(5));
    expect(plane.asked.map(({ url }) => url)).toEqual(
      Array.from({ length: 4 }, () => "/v1/runs/x/result?waitMs=30000"),
    );
  });

  it("takes few connections, however many wait, also of a control plane that knows no way to wait for many", async () => {
    let [open, most] = [0, 0];
    const asked = new Map<string, number>();
    const plane = await fakePlane((response, { url }) => {
      if (url === "/v1/runs/wait") return problem(response, 405, "MethodNotAllowed");
      most = Math.max(most, ++open);
      const [path, waitMs] = [url.split("?")[0]!, Number(url.split("=")[1])];
      const times = (asked.get(path) ?? 0) + 1;
      asked.set(path, times);
      const isEnded = times === 3;
      const outcome = isEnded
        ? { status: "succeeded", phase: null, result: path }
        : { status: "leased", phase: "ready" };
      setTimeout(() => (open--, json(response, isEnded ? 200 : 202, outcome)), Math.min(waitMs, 5));
    });
    const client = clientOf(plane);
    const ids = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const abandoned = AbortSignal.timeout(1);
    const left = client.run("left").result({ signal: abandoned });
    left.catch(() => {});
    const results = await Promise.all(ids.map((id) => client.run(id).result()));
    expect(results).toEqual(ids.map((id) => `/v1/runs/${id}/result`));
    expect(most).toBeLessThanOrEqual(50);
    expect(plane.asked.some(({ url }) => url.endsWith("waitMs=200"))).toBe(true);
    await expect(left).rejects.toMatchObject({ name: "TimeoutError" });
    expect(plane.asked.filter(({ url }) => url === "/v1/runs/wait")).toHaveLength(1);
  });

  it("ends in time, though nobody answers", async () => {
    const silent = await fakePlane(() => {});
    const before = performance.now();
    await expect(clientOf(silent).run("x").result({ timeout: 10 })).rejects.toMatchObject({ code: "WaitTimeout" });
    expect(performance.now() - before).toBeLessThan(10_000);
    const outcome = { id: "x", status: "leased", phase: "running" };
    const slow = await fakePlane((response, { url }) => {
      setTimeout(() => json(response, 202, outcome), Number(url.split("=")[1]));
    });
    await expect(clientOf(slow).run("x").result({ timeout: 30 })).rejects.toMatchObject({ code: "WaitTimeout" });
    expect(slow.asked.length).toBeLessThan(5);
  });
});

describe("many starts", () => {
  it("go in parts of 10,000 and of bounded size, in order, and say which were refused", async () => {
    const plane = await fakePlane((response, { body }) => {
      const { runs } = JSON.parse(body) as { runs: { id: string; payload: unknown }[] };
      const items = runs.map(({ id, payload }) =>
        payload === 7
          ? { problem: { title: "No", status: 400, code: "InvalidInput", detail: "not 7" } }
          : { id, existed: false },
      );
      json(response, 200, { items });
    });
    const client = clientOf(plane);
    const runs = await client.startMany(
      "a.b.v1",
      Array.from({ length: 10_001 }, (_, n) => ({ input: n + 10, priority: 1 })),
    );
    expect(runs).toHaveLength(10_001);
    const sizes = plane.asked.map(({ body }) => (JSON.parse(body) as { runs: unknown[] }).runs.length);
    expect(sizes).toEqual([10_000, 1]);
    expect(JSON.parse(plane.asked[1]!.body)).toEqual({
      runs: [{ type: "a.b.v1", priority: 1, payload: 10_010, id: runs[10_000]!.id }],
    });
    const large = "x".repeat(4_000_000);
    await client.startMany("a.b.v1", [{ input: large }, { input: 1 }, { input: large }]);
    expect(plane.asked).toHaveLength(4);
    const error = await client.startMany("a.b.v1", [{ input: 6 }, { input: 7 }]).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "StartsRefused", message: "1 of 2 starts were refused: not 7" });
    const { outcomes } = error as StartsRefused;
    expect(outcomes).toMatchObject([{ existed: false }, { error: { code: "InvalidInput" } }]);
    expect(await client.startMany("a.b.v1", [])).toEqual([]);
  });

  it("and single ones get other ids, once, when the clock here is wrong", async () => {
    const now = "2031-05-05T00:00:00.000Z";
    const isNow = (id: string): boolean =>
      Math.abs(Number.parseInt(id.replace("-", "").slice(0, 12), 16) - Date.parse(now)) < 60_000;
    const plane = await fakePlane((response, { url, body }) => {
      if (url === "/v1/health") return json(response, 200, { controlPlane: "a", ready: true, now });
      const parsed = JSON.parse(body) as { id: string; runs?: { id: string }[] };
      const invalid = { title: "No", status: 400, code: "InvalidId", detail: "no id of about now" };
      if (parsed.runs === undefined)
        return isNow(parsed.id) ? json(response, 201, started(body)) : json(response, 400, invalid);
      json(response, 200, {
        items: parsed.runs.map(({ id }) => (isNow(id) ? { id, existed: false } : { problem: invalid })),
      });
    });
    const runs = await clientOf(plane).startMany("a.b.v1", [{}, {}]);
    expect(runs.every(({ id }) => isNow(id))).toBe(true);
    const client = clientOf(plane);
    expect(isNow((await client.start("a.b.v1")).id)).toBe(true);
    expect(isNow((await clientOf(plane).run("x").fork(3)).id)).toBe(true);
    const own = "01a1e117-9295-798b-8091-0c70e9ba8d64";
    await expect(client.start("a.b.v1", 1, { id: own })).rejects.toMatchObject({ code: "InvalidId" });
  });
});

it("what is no id is refused, where something else would be asked for", () => {
  const client = createClient({ url: "http://127.0.0.1:1" });
  for (const id of ["", ".", ".."]) expect(() => client.run(id)).toThrow(`run() takes the id of a run, not "${id}"`);
});
