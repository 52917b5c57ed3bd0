import { describe, expect, it, onTestFinished } from "vitest";
import pg from "pg";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { cairnOnce, freePorts } from "../processes/processes.ts";
import { temporaryProject } from "../temporary-project.ts";
import { operated } from "./plane.ts";

const plane = operated();

interface Findings {
  readonly problems: number;
  readonly warnings: number;
  readonly findings: readonly { check: string; state: string; says: string; details: string[] }[];
}

/** A database without anything of ours in it. */
async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  await sql.query("DROP SCHEMA cairn CASCADE");
  await sql.end();
  return url;
}

async function sqlOf(url: string): Promise<pg.Client> {
  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  onTestFinished(() => sql.end());
  return sql;
}

const stateOf = ({ findings }: Findings, check: string): string | undefined =>
  findings.find((finding) => finding.check === check)?.state;

describe("cairn migrate", () => {
  it("says what is missing, makes it, and then there is nothing to do", async () => {
    const DATABASE_URL = await emptyDatabase();
    const folder = temporaryProject({});
    const migrate = (...args: string[]) => cairnOnce(folder, ["migrate", ...args], { DATABASE_URL });
    const before = await migrate("--status");
    expect(before).toMatchObject({ code: 1, stdout: expect.stringMatching(/^… 001_create_engine {2}missing\n/) });
    expect(await migrate()).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ 001_create_engine\n") });
    const [again, json, status] = await Promise.all([migrate(), migrate("--json"), migrate("--status", "--json")]);
    expect(again).toMatchObject({ code: 0, stdout: "nothing was missing\n" });
    expect(JSON.parse(json.stdout)).toMatchObject({ made: [], missing: [], strange: null });
    expect(JSON.parse(status.stdout)).toMatchObject({ applied: expect.arrayContaining(["001_create_engine"]) });
    const sql = await sqlOf(DATABASE_URL);
    await sql.query("INSERT INTO cairn.migrations VALUES ('999_later', 'x', now())");
    const [strange, refused] = await Promise.all([migrate("--status"), migrate()]);
    expect(strange).toMatchObject({ code: 1, text: expect.stringContaining("999_later of a later release") });
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      text: expect.stringContaining("999_later of a later release"),
    });
  });

  it("says in one line what keeps it from it", async () => {
    const folder = temporaryProject({});
    const [port = ""] = await freePorts(1);
    const cases: [Record<string, string>, string[], number, string][] = [
      [{}, [], 1, "give the address of Postgres: DATABASE_URL or --database-url"],
      [{ DATABASE_URL: `postgres://a@127.0.0.1:${port}/b` }, [], 1, "No database answers on 127.0.0.1"],
      [{}, ["--database-url", "mysql://x", "--status"], 1, "The database's URL is not one"],
      [{}, ["--staus"], 2, "Did you mean --status?"],
    ];
    await Promise.all(
      cases.map(async ([env, args, code, says]) => {
        const ran = await cairnOnce(folder, ["migrate", ...args], env);
        expect(ran).toMatchObject({ code, stdout: "", text: expect.stringContaining(says) });
      }),
    );
  });
});

describe("cairn doctor", () => {
  it("finds nothing wrong with what is right", async () => {
    const env = { DATABASE_URL: plane.databaseUrl };
    const [text, json] = await Promise.all([plane.cairnWith(env, "doctor"), plane.cairnWith(env, "doctor", "--json")]);
    expect(text.code, text.text).toBe(0);
    expect(text.stdout).toMatch(/^✓ connection {4}Postgres \d+\.\d+ .*answers\n/);
    expect(text.stdout).toContain(`✓ control plane ${plane.plane.id} answers`);
    const found = JSON.parse(json.stdout) as Findings;
    expect(found).toMatchObject({ problems: 0, warnings: 0 });
    expect(found.findings.map(({ check }) => check)).toEqual([
      "connection",
      "clock",
      "migrations",
      "transactions",
      "permissions",
      "partitions",
      "bloat",
      "owners",
      "stuck",
      "unserved",
      "schedules",
      "outbox",
      "subscriptions",
      "retention",
      "live",
      "master key",
      "control plane",
    ]);
  });

  it("finds schedules that cannot start, events that nobody publishes or takes, and subscribers that are down", async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const sql = await sqlOf(url);
    await sql.query(`
      INSERT INTO cairn.schedules (namespace, type, name, id, interval_ms, anchor, payload, next_run_at, last_error, created_at, updated_at)
        SELECT 'default', 'shop.sweep.v1', name, gen_random_uuid(), 60000, cairn.now(), '1', cairn.now() + after, error, cairn.now(), cairn.now()
        FROM (VALUES ('well', interval '1 h', NULL), ('bad', '1 h', 'UnknownType: Nothing is registered'), ('late', '-2 h', NULL)) AS v (name, after, error);
      INSERT INTO cairn.subscriptions (namespace, name, types, target, max_attempts, timeout_ms, backoff_ms, backoff_max_ms, status, paused_reason,
          failing_since, last_error, created_at, changed_at)
        SELECT 'default', name, '{*}', '{}', 1, 1, 1, 1, status, reason, failing, error, cairn.now(), cairn.now()
        FROM (VALUES ('well', 'active', NULL, NULL::timestamptz, 'of the past'), ('down', 'active', NULL, cairn.now() - interval '3 h', 'no answer'),
          ('paused', 'paused', 'moving', NULL, NULL)) AS v (name, status, reason, failing, error);
      INSERT INTO cairn.outbox_backlog (event_id, subscription, run_id, shard, dead_at)
        SELECT 1, id, cairn.new_id(), 0, CASE name WHEN 'well' THEN cairn.now() END FROM cairn.subscriptions`);
    const look = async (): Promise<Findings> =>
      JSON.parse((await plane.cairnWith({ DATABASE_URL: url }, "doctor", "--json")).stdout) as Findings;
    await sql.query(`INSERT INTO cairn.maintenance (task, holder, expires_at, done_at)
      VALUES ('retention', gen_random_uuid(), cairn.now(), cairn.now() - interval '3 days')`);
    const found = await look();
    const of = ({ findings }: Findings, name: string) => findings.find(({ check }) => check === name);
    expect(of(found, "retention")).toMatchObject({
      state: "warning",
      says: expect.stringMatching(
        /^What is over was last removed 3 \w+ ago: start a control plane without CAIRN_RETENTION=off, unless CAIRN_RETENTION_EVERY is longer than that$/,
      ),
    });
    expect(of(found, "schedules")).toMatchObject({ state: "problem", says: "2 schedules cannot start what is due" });
    expect(of(found, "schedules")!.details).toEqual([
      "default shop.sweep.v1 late: due for 2 h: is there a control plane?",
      "default shop.sweep.v1 bad: UnknownType: Nothing is registered",
    ]);
    expect(of(found, "outbox")).toMatchObject({
      state: "warning",
      says: expect.stringMatching(/^1 dead letter: cairn outbox/),
    });
    expect(of(found, "subscriptions")).toMatchObject({
      state: "warning",
      says: "2 subscribers down or paused",
      details: [
        "default down: down for 3 h (no answer), 1 event waiting",
        "default paused: paused (moving), 1 event waiting",
      ],
    });
    await sql.query(`INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at)
      SELECT 'default', cairn.new_id(), 'order.paid.v1', '1', cairn.now() - interval '5 min'`);
    expect(of(await look(), "outbox")).toMatchObject({
      state: "problem",
      says: expect.stringMatching(/^1 event not offered to anybody, the oldest for 5 min; nobody publishes/),
    });
  });

  it("finds runs that are stuck, and why; runs that nobody serves; missing partitions; a database of another release", async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const sql = await sqlOf(url);
    await sql.query(`
      INSERT INTO cairn.runs (id, namespace, type, version, payload, run_at, created_at)
        SELECT cairn.new_id(), 'default', 'shop.' || n, '1', '1', cairn.now(), cairn.now() FROM generate_series(1, 4) AS n;
      INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, crashes, phase, waiting_for, last_error)
        SELECT id, 'default:shop', 0, CASE type WHEN 'shop.2' THEN 'parked' ELSE 'ready' END, cairn.now() - interval '1 h',
          CASE type WHEN 'shop.2' THEN cairn.now() - interval '2 min' END, CASE type WHEN 'shop.3' THEN 2 ELSE 0 END,
          CASE type WHEN 'shop.2' THEN 'sleeping' WHEN 'shop.4' THEN 'waiting' ELSE 'ready' END,
          CASE type WHEN 'shop.4' THEN 'a worker for shop.' END, CASE type WHEN 'shop.3' THEN 'CrashLimit' END
        FROM cairn.runs;
      DROP TABLE cairn.run_events CASCADE;
      CREATE TABLE cairn.run_events (run_id uuid NOT NULL) PARTITION BY RANGE (run_id)`);
    const ran = await plane.cairnWith({ DATABASE_URL: url }, "doctor", "--json");
    const found = JSON.parse(ran.stdout) as Findings;
    expect(ran.code).toBe(1);
    const stuck = found.findings.find(({ check }) => check === "stuck")!;
    expect(stuck).toMatchObject({ state: "problem", says: "3 runs stuck" });
    expect(stuck.details.join("\n")).toMatch(/shop\.1, for 1 h: it is ready, and nobody claims it/);
    expect(stuck.details.join("\n")).toMatch(/shop\.2, .*: it was due, and nobody wakes it/);
    expect(stuck.details.join("\n")).toMatch(/shop\.3, .* again and again, and is tried alone \(CrashLimit\)/);
    expect(found.findings.find(({ check }) => check === "unserved")).toMatchObject({
      state: "warning",
      details: ["default: 1 run for a worker for shop."],
    });
    expect(stateOf(found, "partitions")).toBe("problem");
    expect(stateOf(found, "owners")).toBe("problem");
    await sql.query("DELETE FROM cairn.migrations WHERE name LIKE '006%'");
    const missing = await plane.cairnWith({ DATABASE_URL: url }, "doctor");
    expect(missing).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("1 migration missing: run cairn migrate"),
    });
  });

  it("tells a database or a control plane that does not answer, and one that was restored", async () => {
    const [port = ""] = await freePorts(1);
    const away = { DATABASE_URL: `postgres://a@127.0.0.1:${port}/b`, CAIRN_API_URL: `http://127.0.0.1:${port}` };
    const [none, unset, restored, wrong] = await Promise.all([
      plane.cairnWith(away, "doctor"),
      plane.cairnWith({}, "doctor"),
      plane.cairnWith({ DATABASE_URL: await emptyDatabase() }, "doctor", "--restored", "--json"),
      plane.cairnWith({ CAIRN_API_URL: "x" }, "doctor"),
    ]);
    expect(none.code).toBe(1);
    expect(none.stdout).toContain("✗ connection    No database answers");
    expect(none.stdout).toContain("! control plane No control plane answers");
    expect(unset).toMatchObject({ code: 0, stdout: expect.stringContaining("! connection    It was not looked at") });
    expect(JSON.parse(restored.stdout)).toMatchObject({ incarnation: expect.any(String), owners: 0, freed: 0 });
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
  });
});
