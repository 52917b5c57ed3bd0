import { describe, expect, it } from "vitest";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { until } from "../support/test-engine.ts";
import { approved, family, retrying, sums } from "../workflows/basics.ts";
import { deliverAll } from "../workflows/limited.ts";

type Json = Readonly<Record<string, unknown>>;

const untilPhase = (rest: RestBed, id: string, phase: string | null) =>
  until(async () => (await rest.ask("GET", `/runs/${id}`)).body["phase"] === phase);

/** All items of a list in pages of one: the cursors lead from each to the next. */
async function oneByOne(rest: RestBed, path: string, query: string): Promise<Json[]> {
  const items: Json[] = [];
  let cursor = "";
  for (;;) {
    const { status, body } = await rest.ask("GET", `${path}?limit=1&${query}${cursor}`);
    expect(status, `${path} ${query} ${JSON.stringify(body)}`).toBe(200);
    items.push(...(body["items"] as Json[]));
    if (body["next"] === null) return items;
    cursor = `&cursor=${encodeURIComponent(body["next"] as string)}`;
  }
}

describe("a workflow and its versions, over REST", () => {
  it("are shown with their code, what was made of it, and its graph", async () => {
    const rest = await openRest();
    const path = `/workflows/${encodeURIComponent(retrying.name)}`;
    const { body } = await rest.ask("GET", path);
    expect(body).toMatchObject({ name: retrying.name, kind: "workflow", versions: 1, tags: [], maxAttempts: 1 });
    expect(body["inputSchema"]).toMatchObject({ $schema: expect.any(String) });
    const version = `${path}/versions/${body["current"] as string}`;
    const shown = await rest.ask("GET", version);
    expect(shown).toMatchObject({
      status: 200,
      body: { name: retrying.name, isCurrent: true, kind: "workflow", leaseMs: null },
    });
    const [source] = shown.body["sources"] as Json[];
    expect(source!["files"]).toHaveLength(1);
    const texts = await rest.ask("GET", `${version}/source`);
    expect(texts.body).toMatchObject({ sourceHash: source!["sourceHash"] });
    expect((texts.body["files"] as { text: string }[])[0]!.text).toContain("await flaky(input.key, input.failures)");
    const same = await rest.ask("GET", `${version}/source?hash=${source!["sourceHash"] as string}`);
    expect(same.body).toEqual(texts.body);
    const listing = (await rest.ask("GET", `${version}/listing`)).body["listing"] as string;
    expect(listing).toContain(`program ${retrying.name}`);
    expect(listing).toContain("await flaky(input.key, input.failures)");
    const graph = (await rest.ask("GET", `${version}/graph`)).body;
    expect(graph["nodes"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: "action", label: "flaky" })]),
    );
    expect((graph["edges"] as Json[]).length).toBeGreaterThan(1);
    // A job is a program of one call.
    const job = (await rest.ask("GET", "/workflows/flaky")).body;
    expect(job).toMatchObject({ kind: "action", inputSchema: null });
    const ofJob = `/workflows/flaky/versions/${job["current"] as string}`;
    expect(await rest.ask("GET", ofJob)).toMatchObject({ status: 200, body: { sources: [] } });
    expect(await rest.ask("GET", `${ofJob}/listing`)).toMatchObject({ status: 200 });
    expect((await rest.ask("GET", `${ofJob}/graph`)).body["nodes"]).toHaveLength(3);
    expect(await rest.ask("GET", `${ofJob}/source`)).toMatchObject({ status: 404, body: { code: "NotFound" } });
    expect(await rest.ask("GET", `${version}/source?hash=x`)).toMatchObject({
      status: 404,
      body: { code: "NotFound" },
    });
    const gone = [
      "/workflows/none",
      `${path}/versions/none`,
      `${path}/versions/none/graph`,
      `${version}/listing?namespace=other`,
      `${path}?namespace=other`,
    ];
    for (const each of gone)
      expect(await rest.ask("GET", each), each).toMatchObject({ status: 404, body: { code: "UnknownType" } });
    const found = (await rest.ask("GET", "/workflows?name=test.s*&sort=-name&kind=workflow")).body["items"] as Json[];
    expect(found.map(({ name }) => name)).toEqual([sums.name, "test.stepping.v1", "test.sleeper.v1"]);
    expect(rest.warnings).toEqual([]);
  });
});

describe("what a run has done, over REST", () => {
  it("is its state after any input, and its history with what was said", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 3 });
    await rest.result(id);
    const state = await rest.ask("GET", `/runs/${id}/state?at=2`);
    expect(state).toMatchObject({
      status: 200,
      body: {
        number: 2,
        phase: "running",
        frames: [{ line: expect.any(Number), variables: { sum: 1, i: 2 } }],
        open: [{ name: "add", args: [1, 2] }],
      },
    });
    expect(await rest.ask("GET", `/runs/${id}/state`)).toMatchObject({ body: { number: 4, phase: "ended", open: [] } });
    const { createdAt } = (await rest.ask("GET", `/runs/${id}`)).body;
    const unbegun = await rest.ask("GET", `/runs/${id}/state?at=0`);
    expect(unbegun).toMatchObject({ status: 200, body: { number: 0, at: createdAt } });
    expect(await rest.ask("GET", `/runs/${id}/state?at=9`)).toMatchObject({ status: 404, body: { code: "NotFound" } });
    expect(await rest.ask("GET", `/runs/${id}/state?at=x`)).toMatchObject({ status: 400 });
    expect(await rest.ask("GET", `/runs/${id}/state?namespace=other`)).toMatchObject({ status: 404 });
    const { body } = await rest.ask("GET", `/runs/${id}/history?values=true&sort=-number`);
    expect(body["items"]).toMatchObject([{ value: 6 }, { value: 3 }, { value: 1 }, { number: 1, kind: "start" }]);
    expect((await rest.ask("GET", `/runs/${id}/history?kind=start`)).body["items"]).toHaveLength(1);
    expect((await rest.ask("GET", `/runs/${id}/history`)).body["items"]).not.toContainEqual(
      expect.objectContaining({ value: 6 }),
    );
    const fork = await rest.ask("POST", `/runs/${id}/fork`, { from: 2, effects: "allowed" });
    const copy = fork.body["id"] as string;
    await rest.result(copy);
    expect(await rest.ask("GET", `/runs/${copy}/state?at=2`)).toMatchObject({ body: { number: 2 } });
    const large = await rest.start(approved.name);
    for (let n = 0; n < 2; n++)
      await rest.ask("POST", `/runs/${large}/signal`, { name: "approval", value: `${n}${"x".repeat(9e6)}` });
    await rest.result(large);
    const first = await rest.ask("GET", `/runs/${large}/history?values=true`);
    expect(first.body).toMatchObject({ items: [{ number: 1 }, { number: 2 }], next: "2" });
    expect((await rest.ask("GET", `/runs/${large}/history?values=true&cursor=2`)).body).toMatchObject({
      items: [{ number: 3 }],
      next: null,
    });
    expect(rest.warnings).toEqual([]);
  });

  it(
    "and every other list, comes in both orders, in pages, and by what is asked for",
    { timeout: 60_000 },
    async () => {
      const rest = await openRest({ secrets: { masterKey: Buffer.alloc(32, 1).toString("base64") } });
      const id = await rest.start(family.name, 3);
      await rest.result(id);
      for (const name of ["a", "b"]) {
        await rest.ask("PUT", `/schedules/${sums.name}/${name}`, { everyMs: 1e9, payload: { n: 1 } });
        await rest.ask("PUT", `/subscriptions/${name}`, {
          types: ["*"],
          target: { kind: "webhook", url: "http://127.0.0.1:1/x" },
        });
        await rest.ask("PUT", `/retention/runs/${name}.x`, { keep: "1d" });
        await rest.ask("PUT", `/secrets/${name}`, { value: name });
        await rest.ask("POST", "/keys", { name, scopes: ["read"] });
      }
      const lists: [path: string, orders: string[], field: string, filter: string, some: (item: Json) => boolean][] = [
        [`/runs/${id}/steps`, ["number", "startedAt", "endedAt"], "call", "kind=child&status=succeeded", () => true],
        [`/runs/${id}/attempts`, ["startedAt", "endedAt"], "call", "outcome=lost", () => false],
        [`/runs/${id}/history`, ["number"], "number", "kind=result", ({ kind }) => kind === "result"],
        [`/runs/${id}/events`, ["at"], "id", "kind=succeeded", ({ kind }) => kind === "succeeded"],
        ["/workflows", ["name"], "name", "kind=action", ({ kind }) => kind === "action"],
        [`/workflows/${sums.name}/versions`, ["createdAt", "version"], "version", "programHash=none", () => false],
        [
          "/workers",
          ["worker", "lastSeen", "inFlight", "queueDepth", "connectedAt"],
          "worker",
          "worker=none",
          () => false,
        ],
        ["/schedules", ["name"], "name", "status=active", () => true],
        ["/subscriptions", ["name", "createdAt", "changedAt"], "name", "status=paused", () => false],
        ["/retention", ["what", "type"], "type", "what=runs", ({ what }) => what === "runs"],
        ["/outbox", ["createdAt"], "id", "state=dead", () => false],
        ["/keys", ["createdAt"], "id", "name=b", ({ name }) => name === "b"],
        ["/secrets", ["name", "changedAt"], "name", "name=a", ({ name }) => name === "a"],
        [`/runs/${id}/timeline`, ["at"], "title", "kind=event", ({ kind }) => kind === "event"],
        ["/limits", ["name"], "name", "name=none*", () => false],
      ];
      // The worker is connected to another control plane, too.
      await rest.bed.query(
        `INSERT INTO cairn.control_planes SELECT 'other', null, started_at, expires_at + interval '1 hour' FROM cairn.control_planes`,
      );
      await rest.bed.query(
        `INSERT INTO cairn.worker_status SELECT (jsonb_populate_record(w, '{"pool":"other"}')).* FROM cairn.worker_status AS w`,
      );
      for (const [path, orders, field, filter, some] of lists) {
        const { body } = await rest.ask("GET", `${path}?limit=1000`);
        const whole = body["items"] as Json[];
        for (const order of orders) {
          const up = await oneByOne(rest, path, `sort=${order}`);
          const down = await oneByOne(rest, path, `sort=-${order}`);
          const names = (items: Json[]) => items.map((item) => item[field]);
          expect(new Set(names(up)), `${path} ${order}`).toEqual(new Set(names(whole)));
          expect(up.length).toBe(whole.length);
          const values = (items: Json[]) => items.map((item) => String(item[order] ?? item["at"] ?? ""));
          expect(values(down), `${path} -${order}`).toEqual(values(up).toReversed());
        }
        const chosen = await rest.ask("GET", `${path}?limit=1000&${filter}`);
        expect(chosen.status, JSON.stringify(chosen.body)).toBe(200);
        expect((chosen.body["items"] as Json[]).length, path).toBe(whole.filter(some).length);
        expect(await rest.ask("GET", `${path}?sort=nothing`), path).toMatchObject({
          status: 400,
          body: { code: "InvalidMessage" },
        });
        expect(await rest.ask("GET", `${path}?cursor=none~1`), path).toMatchObject({ status: 400 });
        expect(await rest.ask("GET", `${path}?cursor=${orders[0]!}~1`), path).toMatchObject({ status: 400 });
      }
      expect(rest.warnings).toEqual([]);
    },
  );
});

describe("a deleted run, over REST", () => {
  it("is restored: it goes on, with its key; of another namespace it is not there", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name, undefined, { idempotencyKey: "k" });
    await untilPhase(rest, id, "waiting");
    await rest.ask("DELETE", `/runs/${id}?reason=oops`);
    expect((await rest.ask("GET", "/runs?deleted=true")).body["items"]).toMatchObject([{ id }]);
    expect(await rest.ask("POST", `/runs/${id}/restore?namespace=other`)).toMatchObject({ status: 404 });
    expect(await rest.ask("POST", `/runs/${id}/restore`, { x: 1 })).toMatchObject({ status: 400 });
    expect(await rest.ask("POST", `/runs/${id}/restore`)).toMatchObject({ status: 202, body: { id } });
    expect(await rest.ask("POST", `/runs/${id}/restore`)).toMatchObject({ status: 202 });
    for (const value of [1, 2]) await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value });
    expect(await rest.result(id)).toMatchObject({ body: { result: [1, 2] } });
    await rest.ask("DELETE", `/runs/${id}`);
    const other = await rest.start(approved.name, undefined, { idempotencyKey: "k", runAt: "2126-01-01T00:00:00Z" });
    expect(await rest.ask("POST", `/runs/${id}/restore`)).toMatchObject({
      status: 409,
      body: { code: "IdempotencyConflict" },
    });
    expect(other).not.toBe(id);
    expect(rest.warnings).toEqual([]);
  });
});

describe("what machines and operators ask", () => {
  it("limits say who has slots and who waits, by key", async () => {
    const rest = await openRest();
    const letters = ["a", "a", "b"].map((tenant, n) => ({ tenant, n }));
    await rest.result(await rest.start(deliverAll.name, letters));
    const { body } = await rest.ask("GET", "/limits?name=mail.deliver");
    expect(body["items"]).toEqual([
      { name: "mail.deliver", concurrency: 1, rate: { limit: 1_000, perMs: 60_000 }, open: 0, waiting: 0, keys: [] },
    ]);
    const run = await rest.start(approved.name);
    await rest.bed.query(
      `INSERT INTO cairn.limited_calls (run_id, call, attempt, namespace, action, key, rate_key, priority, granted_at)
      SELECT $1, n::text, 1, 'default', 'mail.deliver', CASE WHEN n < 4 THEN 'east' ELSE 'west' END, '', 0,
        CASE WHEN n IN (1, 4) THEN cairn.now() END FROM generate_series(1, 4) AS n`,
      run,
    );
    expect((await rest.ask("GET", "/limits?name=mail.*")).body["items"]).toContainEqual(
      expect.objectContaining({
        name: "mail.deliver",
        open: 2,
        waiting: 2,
        keys: [
          { key: "east", open: 1, waiting: 2 },
          { key: "west", open: 1, waiting: 0 },
        ],
      }),
    );
    expect((await rest.ask("GET", "/limits?namespace=other")).body["items"]).toEqual([]);
  });

  it("whether it lives and is ready is for everyone; metrics are for those who may ask everywhere", async () => {
    const tokens = [{ token: "all" }, { token: "one", namespace: "billing" }];
    const rest = await openRest({ tokens, token: "all" });
    const nobody = { authorization: "" };
    expect(await rest.ask("GET", "/health/live", undefined, nobody)).toMatchObject({
      status: 200,
      body: { status: "alive" },
    });
    expect(await rest.ask("GET", "/health/ready", undefined, nobody)).toMatchObject({
      status: 200,
      body: { status: "ready" },
    });
    const metrics = (token: string) =>
      fetch(`http://127.0.0.1:${rest.plane.httpPort}/v1/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const answer = await metrics("all");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(await answer.text()).toContain("# TYPE cairn_");
    expect((await metrics("one")).status).toBe(403);
    expect((await metrics("")).status).toBe(401);
  });
});
