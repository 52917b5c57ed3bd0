import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { NotAnExport, replayRun } from "../../src/operator.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { until } from "../support/test-engine.ts";
import { approved, sums, undone } from "../workflows/basics.ts";

type Json = Readonly<Record<string, unknown>>;

const untilPhase = (rest: RestBed, id: string, phase: string | null) =>
  until(async () => (await rest.ask("GET", `/runs/${id}`)).body["phase"] === phase);

describe("what operators want of runs, over REST", () => {
  it("signals, pauses and resumes", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    await untilPhase(rest, id, "waiting");
    const key = crypto.randomUUID();
    for (let times = 0; times < 2; times++) {
      const sent = await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: "yes", key });
      expect(sent).toMatchObject({ status: 202, body: { id } });
    }
    // To another run it is another signal.
    const other = await rest.start(approved.name);
    const same = await rest.ask("POST", `/runs/${other}/signal`, { name: "approval", value: "no", key });
    expect(same).toMatchObject({ status: 202 });
    expect(await rest.ask("POST", `/runs/${id}/pause`)).toMatchObject({ status: 202, body: { id } });
    await untilPhase(rest, id, "paused");
    await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: { $date: 0 } });
    expect(await rest.ask("POST", `/runs/${id}/resume`, {})).toMatchObject({ status: 202 });
    expect(await rest.result(id)).toMatchObject({ status: 200, body: { result: ["yes", { $date: 0 }] } });
    expect(await rest.ask("POST", `/runs/${id}/pause`)).toMatchObject({ status: 409, body: { code: "RunEnded" } });
    const strange = await rest.ask("POST", `/runs/${id}/signal`, { name: "approval", value: { $date: "x" } });
    expect(strange).toMatchObject({ status: 400, body: { code: "InvalidMessage" } });
  });

  it("cancels and deletes; a deleted run is gone for whoever waits or wants something", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    await untilPhase(rest, id, "waiting");
    const cancelled = await rest.ask("POST", `/runs/${id}/cancel`, { reason: "enough" });
    expect(cancelled).toMatchObject({ status: 202, body: { id } });
    // Whoever holds it may have done so before it was looked at.
    expect(["cancelling", "cancelled"]).toContain(cancelled.body["phase"] ?? cancelled.body["status"]);
    expect(await rest.result(id)).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await rest.ask("DELETE", `/runs/${id}?reason=old`)).toMatchObject({ status: 202 });
    const { body } = await rest.ask("GET", `/runs/${id}`);
    expect(body).toMatchObject({ deletedAt: expect.any(String), deleteReason: "old" });
    expect(await rest.ask("GET", `/runs/${id}/result`)).toMatchObject({ status: 410, body: { code: "RunDeleted" } });
    expect(await rest.ask("POST", `/runs/${id}/retry`)).toMatchObject({ status: 410 });
    expect((await rest.ask("GET", "/runs")).body["items"]).toEqual([]);
  });

  it("retries, rolls back and forks", async () => {
    const rest = await openRest();
    const failed = await rest.start(undone.name, "again");
    await rest.result(failed);
    expect(await rest.ask("POST", `/runs/${failed}/retry`)).toMatchObject({ status: 202, body: { id: failed } });
    expect(await rest.result(failed)).toMatchObject({ body: { status: "failed" } });
    const id = await rest.start(sums.name, { n: 3 });
    await rest.result(id);
    expect(await rest.ask("POST", `/runs/${id}/retry`)).toMatchObject({ status: 409, body: { code: "WrongStatus" } });
    expect(await rest.ask("POST", `/runs/${id}/rollback`, { to: 2 })).toMatchObject({ status: 202 });
    expect(await rest.result(id)).toMatchObject({ body: { status: "succeeded", result: 6 } });
    expect(await rest.ask("POST", `/runs/${id}/rollback`, { to: 99 })).toMatchObject({ status: 404 });
    expect(await rest.ask("POST", `/runs/${id}/rollback`, { to: 0 })).toMatchObject({ status: 400 });
    const copy = newRunId(Date.now());
    const fork = { from: 2, id: copy, effects: "allowed" };
    expect(await rest.ask("POST", `/runs/${id}/fork`, fork)).toMatchObject({ status: 201, body: { id: copy } });
    expect(await rest.result(copy)).toMatchObject({ body: { status: "succeeded", result: 6 } });
    expect(await rest.ask("POST", `/runs/${id}/fork`, { from: 2, effects: "some" })).toMatchObject({ status: 400 });
    for (const exported of [failed, id, copy]) {
      const { status, body } = await rest.ask("GET", `/runs/${exported}/export`);
      expect(status, JSON.stringify(body)).toBe(200);
      const replayed = await replayRun(body);
      const turns = (body["history"] as Json[]).filter(({ kind }) => kind === "rollback" || kind === "fork").length;
      expect(replayed).toMatchObject({ id: exported, diverged: null });
      expect(replayed.inputs).toBe((body["history"] as unknown[]).length - turns);
    }
    expect(rest.warnings).toEqual([]);
  });
});

describe("an exported run", () => {
  it("says where it does otherwise than it did, and what is no export", async () => {
    const rest = await openRest();
    const id = await rest.start(sums.name, { n: 3 });
    await rest.result(id);
    const { body } = await rest.ask("GET", `/runs/${id}/export`);
    const history = body["history"] as Json[];
    const counts: number[] = [];
    expect(await replayRun(body, (count) => counts.push(count))).toMatchObject({ inputs: 4, diverged: null });
    expect(counts).toEqual([1, 2, 3, 4]);
    const changed = { ...body, history: history.with(2, { ...history[2], value: "7" }) };
    expect((await replayRun(changed)).diverged).toEqual({
      number: 3,
      kind: "result",
      node: history[2]!["node"],
      call: history[2]!["call"],
      reason: "it has other effects than it had",
    });
    const strange = { ...body, history: history.with(3, { ...history[3], call: "9.9" }) };
    expect((await replayRun(strange)).diverged).toMatchObject({ number: 4 });
    const version = body["version"] as { readonly program: Json };
    const cases: [unknown, string][] = [
      [{}, "format is not cairn.run.v1"],
      [7, "This is no exported run"],
      [{ ...body, payload: undefined }, "payload"],
      [{ ...body, version: { ...version, programHash: "x" } }, "it has another hash"],
      [{ ...body, version: { ...version, program: {} } }, "Its program is none"],
    ];
    for (const [given, says] of cases) {
      await expect(replayRun(given)).rejects.toThrow(NotAnExport);
      await expect(replayRun(given)).rejects.toThrow(says);
    }
  });
});

describe("workflows and workers, over REST", () => {
  it("are listed, with their versions; another version is made current", async () => {
    const rest = await openRest();
    const { body } = await rest.ask("GET", "/workflows?limit=1000");
    const listed = (body["items"] as Json[]).find(({ name }) => name === sums.name)!;
    expect(listed).toMatchObject({ kind: "workflow", versions: 1, current: expect.any(String) });
    const first = await rest.ask("GET", "/workflows?limit=1");
    expect(first.body).toMatchObject({ items: [(body["items"] as Json[])[0]], next: expect.any(String) });
    await rest.bed.query(
      `INSERT INTO cairn.workflow_versions SELECT namespace, name, 'second', kind, program_hash, program, input_schema,
        max_attempts, tags, lease_ms, cairn.now() FROM cairn.workflow_versions WHERE name = $1`,
      sums.name,
    );
    const path = `/workflows/${encodeURIComponent(sums.name)}`;
    expect(await rest.ask("POST", `${path}/promote`, { version: "second" })).toMatchObject({
      status: 200,
      body: { name: sums.name, current: "second" },
    });
    const versions = (await rest.ask("GET", `${path}/versions`)).body["items"] as Json[];
    expect(versions).toMatchObject([
      { version: "second", isCurrent: true },
      { version: listed["current"], isCurrent: false },
    ]);
    const [newer, older] = versions;
    for (const [query, found] of [
      [`until=${newer!["createdAt"]}`, [older]],
      [`since=${newer!["createdAt"]}`, [newer]],
      [`programHash=${older!["programHash"]}`, versions],
      ["programHash=none", []],
    ] as const)
      expect((await rest.ask("GET", `${path}/versions?${query}`)).body, query).toMatchObject({ items: found });
    const id = await rest.start(sums.name, { n: 1 });
    expect(await rest.ask("GET", `/runs/${id}`)).toMatchObject({ body: { version: "second" } });
    expect(await rest.ask("POST", `${path}/promote`, { version: "third" })).toMatchObject({
      status: 404,
      body: { code: "UnknownType", detail: `Nothing is registered as ${sums.name} in the version third` },
    });
    expect(await rest.ask("GET", "/workflows/none/versions")).toMatchObject({ status: 404 });
    expect(await rest.ask("GET", `/workflows/${"%F0%9F%98%80".repeat(250)}/versions`)).toMatchObject({ status: 404 });
    const workers = await rest.ask("GET", "/workers");
    expect(workers.body["items"]).toMatchObject([
      { namespace: "default", pool: rest.plane.id, prefixes: [""], capacity: 10, actions: expect.any(Array) },
    ]);
    expect((await rest.ask("GET", "/workers?namespace=other")).body["items"]).toEqual([]);
    expect(rest.warnings).toEqual([]);
  });

  it("are listed page by page, however long their names are", async () => {
    const rest = await openRest();
    const names = ["a", "é", "z"].map((letter) => letter.repeat(500));
    await rest.bed.query(
      `INSERT INTO cairn.worker_status (namespace, pool, worker, prefixes, actions, capacity, in_flight, queue_depth, actions_per_second,
        connected_at, last_seen)
      SELECT 'long', $1, unnest($2::text[]), '{}', '{}', 1, 0, 0, 0, cairn.now(), cairn.now()`,
      rest.plane.id,
      names,
    );
    const listed: unknown[] = [];
    for (let query = ""; ;) {
      const { status, body } = await rest.ask("GET", `/workers?namespace=long&limit=1${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      listed.push(...(body["items"] as Json[]).map(({ worker }) => worker));
      if (body["next"] === null) break;
      query = `&cursor=${encodeURIComponent(body["next"] as string)}`;
    }
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});
