import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { until } from "../support/test-engine.ts";
import { approved, echo, guardian, sums, undone } from "../workflows/basics.ts";

type Json = Readonly<Record<string, unknown>>;

const later = { runAt: "2126-01-01T00:00:00Z" };

describe("a batch of starts", () => {
  it("starts each that is right; what is wrong with another is its own problem, in its place", async () => {
    const rest = await openRest();
    const id = newRunId(Date.now());
    const runs = [
      { type: sums.name, payload: { n: 2 } },
      { type: "none.v1" },
      { type: sums.name, payload: { n: "x" } },
      { id, type: echo.name, payload: "a", tags: ["batch"] },
      { id, type: echo.name, payload: "a" },
      { id, type: echo.name, payload: "b" },
      { type: echo.name, payloads: 1 },
      7,
      { type: echo.name, payload: "k", idempotencyKey: "k" },
      { type: echo.name, payload: "k", idempotencyKey: "k" },
      { type: echo.name, payload: "other", idempotencyKey: "k" },
      { type: echo.name, payload: { $date: "x" } },
    ];
    const { status, body } = await rest.ask("POST", "/runs/batch", { runs });
    expect(status, JSON.stringify(body)).toBe(200);
    const items = body["items"] as Json[];
    const codes = items.map((item) => (item["problem"] as Json | undefined)?.["code"] ?? item["existed"]);
    expect(codes).toEqual([
      ...[false, "UnknownType", "InvalidInput", false, true, "IdConflict", "InvalidMessage", "InvalidMessage"],
      ...[false, true, "IdempotencyConflict", "InvalidInput"],
    ]);
    expect(items[8]!["id"]).toBe(items[9]!["id"]);
    expect(items[7]!["problem"]).toMatchObject({ status: 400, detail: expect.stringContaining("run: ") });
    expect(await rest.result(items[0]!["id"] as string)).toMatchObject({ body: { result: 3 } });
    expect(await rest.bed.query("SELECT FROM cairn.runs")).toHaveLength(3);
    const wrong: [unknown, number][] = [
      [{ runs: [] }, 400],
      [{ runs: {} }, 400],
      [{}, 400],
      [{ runs: [], more: 1 }, 400],
    ];
    for (const [given, expected] of wrong) expect((await rest.ask("POST", "/runs/batch", given)).status).toBe(expected);
    const many = { runs: Array.from({ length: 10_001 }, () => 0) };
    expect(await rest.ask("POST", "/runs/batch", many)).toMatchObject({ status: 400 });
    expect(rest.warnings).toEqual([]);
  });
});

describe("a request that is repeated under its Idempotency-Key", () => {
  it("is one start, one signal, one retry, one rollback, one fork, one run of a schedule", async () => {
    const rest = await openRest();
    const twice = async (path: string, body?: unknown, key = "same-request"): Promise<readonly [Json, Json]> => {
      const headers = { "idempotency-key": key };
      const first = await rest.ask("POST", path, body, headers);
      expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
      const second = await rest.ask("POST", path, body, headers);
      expect(second.status, JSON.stringify(second.body)).toBeLessThan(300);
      return [first.body, second.body];
    };
    const [started, same] = await twice("/runs", { type: sums.name, payload: { n: 3 } });
    expect(same).toEqual({ id: started["id"], existed: true });
    const conflict = await rest.ask(
      "POST",
      "/runs",
      { type: sums.name, payload: { n: 4 } },
      { "idempotency-key": "same-request" },
    );
    expect(conflict).toMatchObject({ status: 409, body: { code: "IdempotencyConflict" } });
    const two = { type: sums.name, payload: { n: 3 }, idempotencyKey: "another" };
    const different = await rest.ask("POST", "/runs", two, { "idempotency-key": "same-request" });
    expect(different).toMatchObject({ status: 400, body: { code: "InvalidMessage" } });
    expect(await rest.ask("POST", "/runs", two, { "idempotency-key": "a b" })).toMatchObject({ status: 400 });
    for (const shape of [{ debounce: { key: "d", delayMs: 60_000 } }, { deduplicate: { key: "d", forMs: 1 } }]) {
      const [a, b] = await twice("/runs", { type: echo.name, payload: "x", ...shape }, JSON.stringify(shape));
      expect(b["id"]).toBe(a["id"]);
    }
    const waiting = await rest.start(approved.name);
    await twice(`/runs/${waiting}/signal`, { name: "approval", value: 1 });
    await twice(`/runs/${waiting}/signal`, { name: "approval", value: 2 }, "another-request");
    expect(await rest.result(waiting)).toMatchObject({ body: { result: [1, 2] } });
    const failed = await rest.start(undone.name, "again");
    await rest.result(failed);
    await twice(`/runs/${failed}/retry`);
    await rest.result(failed);
    await until(
      async () =>
        (await rest.bed.query("SELECT FROM cairn.runs WHERE id = $1 AND status = 'failed'", failed)).length > 0,
    );
    expect(
      await rest.bed.query("SELECT FROM cairn.run_events WHERE run_id = $1 AND kind = 'retried'", failed),
    ).toHaveLength(1);
    const sum = started["id"] as string;
    await rest.result(sum);
    await twice(`/runs/${sum}/rollback`, { to: 2 });
    await until(
      async () =>
        (await rest.bed.query("SELECT FROM cairn.run_events WHERE run_id = $1 AND kind = 'rolled back'", sum))
          .length === 1,
    );
    await rest.result(sum);
    const [fork, copy] = await twice(`/runs/${sum}/fork`, { from: 2, effects: "allowed" });
    expect(copy["id"]).toBe(fork["id"]);
    const [other] = await twice(`/runs/${sum}/fork`, { from: 2, effects: "allowed" }, "another-fork");
    expect(other["id"]).not.toBe(fork["id"]);
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    const traced = await rest.ask("POST", `/runs/${sum}/fork`, { from: 2 }, { traceparent });
    const [row] = await rest.bed.query("SELECT traceparent FROM cairn.runs WHERE id = $1", traced.body["id"]);
    expect(row).toEqual({ traceparent });
    await rest.ask("PUT", `/schedules/${approved.name}/nightly`, { everyMs: 1e9 });
    const [fired, once] = await twice(`/schedules/${approved.name}/nightly/trigger`);
    expect(once["id"]).toBe(fired["id"]);
    expect(await rest.ask("POST", `/schedules/${approved.name}/nightly/trigger`)).toMatchObject({ status: 409 });
    expect(rest.warnings).toEqual([]);
  });
});

describe("a request that is another one under the same Idempotency-Key", () => {
  it("is refused, and what was asked for first stays", async () => {
    const rest = await openRest();
    const ask = (path: string, body: unknown): ReturnType<RestBed["ask"]> =>
      rest.ask("POST", path, body, { "idempotency-key": "the-same" });
    const refused = { status: 409, body: { code: "IdempotencyConflict" } };
    const id = await rest.start(approved.name);
    expect((await ask(`/runs/${id}/signal`, { name: "approval", value: 1 })).status).toBe(202);
    for (const other of [{ name: "approval", value: 2 }, { name: "approval" }, { name: "approvals", value: 1 }])
      expect(await ask(`/runs/${id}/signal`, other)).toMatchObject(refused);
    expect((await ask(`/runs/${id}/signal`, { name: "approval", value: 1 })).status).toBe(202);
    // The key of a signal is its run's.
    const key = crypto.randomUUID();
    const other = await rest.start(approved.name);
    const own = { name: "approval", value: 2, key };
    expect((await rest.ask("POST", `/runs/${id}/signal`, own)).status).toBe(202);
    expect((await rest.ask("POST", `/runs/${other}/signal`, own)).status).toBe(202);
    expect(await rest.result(id)).toMatchObject({ body: { result: [1, 2] } });
    // Also when the run has ended.
    expect((await rest.ask("POST", `/runs/${id}/signal`, own)).status).toBe(202);
    expect(await rest.ask("POST", `/runs/${id}/signal`, { ...own, value: 3 })).toMatchObject(refused);
    const bulk = (value: number): ReturnType<RestBed["ask"]> =>
      ask("/runs/bulk", { action: "signal", name: "approval", value, filter: { status: ["pending", "leased"] } });
    expect((await bulk(1)).body).toMatchObject({ done: 1, refused: [] });
    expect(await bulk(2)).toMatchObject({ status: 409, body: { code: "IdempotencyConflict" } });
    const sum = await rest.start(sums.name, { n: 3 });
    await rest.result(sum);
    expect((await ask(`/runs/${sum}/rollback`, { to: 2 })).status).toBe(202);
    await rest.result(sum);
    for (const body of [{ to: 1 }, { to: 2, keepChance: true }])
      expect(await ask(`/runs/${sum}/rollback`, body)).toMatchObject(refused);
    expect((await ask(`/runs/${sum}/rollback`, { to: 2 })).status).toBe(202);
    expect((await ask(`/runs/${sum}/fork`, { from: 2 })).status).toBe(201);
    for (const body of [{ from: 1 }, { from: 2, effects: "allowed" }])
      expect(await ask(`/runs/${sum}/fork`, body)).toMatchObject(refused);
    await rest.ask("PUT", `/schedules/${approved.name}/nightly`, { everyMs: 1e9 });
    const trigger = `/schedules/${approved.name}/nightly/trigger`;
    expect((await ask(trigger, {})).status).toBe(201);
    expect(await ask(trigger, { allowDuplicate: true })).toMatchObject(refused);
    const shape = { type: echo.name, debounce: { key: "d", delayMs: 60_000 } };
    expect((await ask("/runs", { ...shape, payload: "x" })).status).toBe(201);
    expect(await ask("/runs", { ...shape, payload: "y" })).toMatchObject(refused);
    expect(rest.warnings).toEqual([]);
  });

  it("of a start is that of its type, and its payload is what is compared", async () => {
    const rest = await openRest();
    const ask = (body: object) => rest.ask("POST", "/runs", body, { "idempotency-key": "the-same" });
    const start = { type: sums.name, payload: { n: 1 } };
    const { status, body } = await ask(start);
    expect(status).toBe(201);
    expect(await ask({ ...start, runAt: "2126-01-01T00:00:00Z", priority: 5, tags: ["x"] })).toMatchObject({
      status: 200,
      body: { id: body["id"], existed: true },
    });
    expect((await rest.ask("GET", `/runs/${String(body["id"])}`)).body).toMatchObject({ priority: 0, tags: [] });
    expect(await ask({ ...start, payload: { n: 2 } })).toMatchObject({
      status: 409,
      body: { code: "IdempotencyConflict" },
    });
    const other = await ask({ type: echo.name, payload: "x" });
    expect(other).toMatchObject({ status: 201, body: { existed: false } });
    expect(other.body["id"]).not.toBe(body["id"]);
    expect(rest.warnings).toEqual([]);
  });

  it("is refused too if two come at one time: one of them is done", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, value) =>
        rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value }, { "idempotency-key": "race" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array<number>(9).fill(409)]);
  });
});

describe("orders for many runs", () => {
  it("are counted by a dry run, done page by page, and say why some refuse them", { timeout: 60_000 }, async () => {
    const rest = await openRest();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await rest.start(approved.name, undefined, { tags: ["bulk"], ...later }));
    const ended = await rest.start(sums.name, { n: 1 }, { tags: ["bulk"] });
    await rest.result(ended);
    await rest.start(approved.name, undefined, { tags: ["other"], ...later });
    const bulk = (body: object, headers = {}) => rest.ask("POST", "/runs/bulk", body, headers);
    const filter = { tag: "bulk" };
    const dry = await bulk({ action: "cancel", filter, dryRun: true });
    expect(dry).toMatchObject({ status: 200, body: { matched: 6, done: 5, next: null } });
    expect(dry.body["refused"]).toMatchObject([{ code: "RunEnded", count: 1, ids: [ended] }]);
    expect(dry.body["sample"]).toHaveLength(6);
    expect(await rest.bed.query("SELECT FROM cairn.runs WHERE status = 'cancelled'")).toEqual([]);
    const paged = await bulk({ action: "pause", filter: { ...filter, type: approved.name }, limit: 2 });
    expect(paged.body).toMatchObject({ matched: 2, done: 2, next: expect.any(String) });
    const rest2 = await bulk({
      action: "pause",
      filter: { ...filter, type: approved.name },
      cursor: paged.body["next"],
    });
    expect(rest2.body).toMatchObject({ matched: 3, done: 3, next: null });
    for (let times = 0; times < 2; times++) {
      const signalled = {
        action: "signal",
        filter: { tag: "bulk", status: ["pending", "leased"] },
        name: "approval",
        value: 7,
      };
      expect((await bulk(signalled, { "idempotency-key": "signal-all" })).body).toMatchObject({ done: 5 });
    }
    const sent = await rest.bed.query("SELECT count(*)::int AS count FROM cairn.mailbox WHERE kind = 'signal'");
    expect(sent).toEqual([{ count: 5 }]);
    const cancelled = await bulk({ action: "cancel", filter, reason: "enough" });
    expect(cancelled.body).toMatchObject({ matched: 6, done: 5 });
    expect(cancelled.body["refused"]).toMatchObject([{ code: "RunEnded", count: 1, ids: [ended] }]);
    expect((await bulk({ action: "resume", filter })).body).toMatchObject({
      done: 0,
      refused: [{ code: "RunEnded", count: 6 }],
    });
    expect((await bulk({ action: "retry", filter })).body["refused"]).toMatchObject([
      { code: "WrongStatus", count: 6 },
    ]);
    expect((await bulk({ action: "delete", filter, reason: "old" })).body).toMatchObject({
      matched: 6,
      done: 6,
      refused: [],
    });
    expect((await bulk({ action: "delete", filter })).body).toMatchObject({ matched: 0 });
    expect((await bulk({ action: "restore", filter, dryRun: true })).body).toMatchObject({ matched: 6 });
    expect((await bulk({ action: "restore", filter })).body).toMatchObject({ matched: 6, done: 6 });
    expect((await rest.ask("GET", "/runs?tag=bulk")).body["items"]).toHaveLength(6);
    expect((await bulk({ action: "restore", filter })).body).toMatchObject({ matched: 0 });
    const parent = await rest.start(guardian.name, undefined, { tags: ["family"] });
    await until(async () => (await rest.bed.query("SELECT FROM cairn.runs WHERE parent = $1", parent)).length > 0);
    const family = { type: [guardian.name, approved.name], since: new Date(Date.now() - 60_000).toISOString() };
    await rest.ask("DELETE", `/runs/${parent}`);
    await until(
      async () => (await rest.bed.query("SELECT FROM cairn.runs WHERE deleted_with = $1", parent)).length > 0,
    );
    expect((await bulk({ action: "restore", filter: family })).body).toMatchObject({
      matched: 2,
      done: 2,
      refused: [],
    });
    const elsewhere = await rest.ask("POST", "/runs/bulk?namespace=other", { action: "cancel", filter, dryRun: true });
    expect(elsewhere.body).toMatchObject({ matched: 0 });
    const wrong = [
      { action: "cancel", filter: {} },
      { action: "burn", filter },
      { action: "signal", filter },
      { action: "pause", filter, name: "x" },
      { action: "pause", filter, reason: "x" },
      { action: "retry", filter, value: 1 },
      { action: "cancel", filter, cursor: "x" },
      { action: "cancel", filter, limit: 1_001 },
      { action: "cancel", filter: { what: 1 } },
    ];
    for (const body of wrong) expect(await bulk(body), JSON.stringify(body)).toMatchObject({ status: 400 });
    expect(rest.warnings).toEqual([]);
  });
});
