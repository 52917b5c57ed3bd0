import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { registerVersion } from "../../src/store/register-version.ts";
import { databaseTime } from "../../src/store/time.ts";
import { NOOP, type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, sums } from "../workflows/basics.ts";

async function start(bed: StoreBed, payload: string | null = "1", options: unknown = {}): Promise<string> {
  const text = JSON.stringify(options);
  const [row] = await bed.query<{ id: string }>("SELECT cairn.start_run($1, $2, $3) AS id", NOOP.name, payload, text);
  return row!.id;
}

const later = async (bed: StoreBed, ms: number): Promise<Date> => new Date((await databaseTime(bed.client)) + ms);

describe("start_run()", () => {
  it("starts a run with nothing but its type", async () => {
    const bed = await storeBed();
    await bed.query("SELECT cairn.start_run('test.noop.v1')");
    const [run] = await bed.query("SELECT * FROM cairn.workflow_run");
    expect(run).toMatchObject({
      namespace: "default",
      type: NOOP.name,
      version: "1",
      status: "pending",
      payload: null,
    });
    expect(await bed.query("SELECT state, pool, phase FROM cairn.queue")).toEqual([
      { state: "ready", pool: "default:*", phase: "ready" },
    ]);
    expect(await bed.query("SELECT kind FROM cairn.run_events")).toEqual([{ kind: "created" }]);
  });

  it("takes every option", async () => {
    const bed = await storeBed();
    await registerVersion(bed.client, { ...NOOP, namespace: "other", version: "old", tags: ["declared"] });
    await registerVersion(bed.client, { ...NOOP, namespace: "other", version: "new" });
    const id = newRunId(await databaseTime(bed.client));
    const runAt = await later(bed, 60_000);
    const deadline = await later(bed, 120_000);
    const options = {
      namespace: "other",
      id,
      runAt,
      priority: -7,
      idempotencyKey: "k",
      maxAttempts: 4,
      tags: ["a", 'b "quoted" {}'],
      deadline,
      version: "old",
      deadLetterType: "test.dead.v1",
    };
    expect(await start(bed, '{"n":2}', options)).toBe(id);
    expect(await bed.query("SELECT * FROM cairn.runs")).toMatchObject([
      {
        id,
        namespace: "other",
        version: "old",
        priority: -7,
        idempotency_key: "k",
        max_attempts: 4,
        tags: ["declared", "a", 'b "quoted" {}'],
        dead_letter_type: "test.dead.v1",
        run_at: runAt,
        deadline,
        payload: { n: 2 },
        checked: false,
      },
    ]);
    expect(await bed.query("SELECT state, priority, wake_at, phase FROM cairn.queue")).toEqual([
      { state: "parked", priority: -7, wake_at: runAt, phase: "sleeping" },
    ]);
  });

  it("takes options that are null as not given, and no payload as null", async () => {
    const bed = await storeBed();
    await start(bed, null, { priority: null, runAt: null, idempotencyKey: null, tags: null });
    await bed.query("SELECT cairn.start_run('test.noop.v1', '2', NULL)");
    expect(await bed.query("SELECT payload::text, priority FROM cairn.runs ORDER BY 1 DESC")).toEqual([
      { payload: "null", priority: 0 },
      { payload: "2", priority: 0 },
    ]);
  });

  const refused: readonly (readonly [hint: string, options: unknown, message: string])[] = [
    ["InvalidOption", { unknown: 1 }, "start_run() has no option unknown"],
    ["InvalidOption", [], "The options are a JSON object"],
    ["InvalidOption", "{}", "The options are a JSON object"],
    ["InvalidOption", { priority: 101 }, "priority is a whole number from -100 to 100, not 101"],
    ["InvalidOption", { priority: -101 }, "priority is a whole number from -100 to 100, not -101"],
    ["InvalidOption", { priority: 1.5 }, "priority is a whole number from -100 to 100, not 1.5"],
    ["InvalidOption", { priority: "1" }, 'priority is a whole number from -100 to 100, not "1"'],
    ["InvalidOption", { priority: 1e300 }, "priority is a whole number from -100 to 100"],
    ["InvalidOption", { maxAttempts: 0 }, "maxAttempts is a whole number from 1 to 1000, not 0"],
    ["InvalidOption", { maxAttempts: 1001 }, "maxAttempts is a whole number from 1 to 1000, not 1001"],
    ["InvalidOption", { tags: "a" }, "tags is an array of at most 50 texts of 1 to 200 characters"],
    ["InvalidOption", { tags: ["a", null] }, "tags is an array of at most 50 texts of 1 to 200 characters"],
    ["InvalidOption", { tags: ["a", 1] }, "tags is an array of at most 50 texts of 1 to 200 characters"],
    ["InvalidOption", { tags: [""] }, "tags is an array of at most 50 texts of 1 to 200 characters"],
    ["InvalidOption", { tags: Array.from({ length: 51 }, () => "t") }, "tags is an array of at most 50 texts"],
    ["InvalidOption", { idempotencyKey: "" }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { idempotencyKey: 5 }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { idempotencyKey: "k".repeat(501) }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { version: 1 }, "version is a text of 1 to 500 characters"],
    ["InvalidOption", { namespace: {} }, "namespace is a text of 1 to 500 characters"],
    ["InvalidOption", { runAt: "soon" }, "runAt is a time as in ISO 8601"],
    ["InvalidOption", { runAt: "now" }, "runAt is a time as in ISO 8601"],
    ["InvalidOption", { runAt: "2026-02-31T00:00:00Z" }, "runAt is a time as in ISO 8601"],
    ["InvalidOption", { deadline: 5 }, "deadline is a time as in ISO 8601"],
    ["InvalidOption", { deadline: "infinity" }, "deadline is a time as in ISO 8601"],
    ["DeadlinePassed", { deadline: "2020-01-01T00:00:00Z" }, "The deadline 2020-01-01 00:00:00+00 has passed"],
    [
      "InvalidOption",
      { deadline: "2999-01-01T00:00:00Z", runAt: "2999-01-02T00:00:00Z" },
      "The run would begin after its",
    ],
    ["InvalidId", { id: "no uuid" }, "The id is no UUID of version 7 of the last day or the next hour"],
    ["InvalidId", { id: "00000000-0000-4000-8000-000000000000" }, "The id is no UUID of version 7"],
    ["UnknownType", { version: "2" }, "Nothing is registered as test.noop.v1 2 in the namespace default"],
    ["UnknownType", { namespace: "other" }, "Nothing is registered as test.noop.v1 in the namespace other"],
  ];

  it("refuses whatever is wrong with the options, each with its code, and writes nothing", async () => {
    const bed = await storeBed();
    await bed.sql.query("SET TimeZone = 'UTC'");
    for (const [hint, options, message] of refused) {
      await expect(start(bed, "1", options), JSON.stringify(options)).rejects.toMatchObject({
        hint,
        message: expect.stringContaining(message),
      });
    }
    for (const table of ["runs", "queue", "run_events", "idempotency_keys"]) {
      expect(await bed.query(`SELECT FROM cairn.${table}`), table).toEqual([]);
    }
  });

  it("refuses a payload of more than 16 MB, text that is no JSON, and names of half characters", async () => {
    const bed = await storeBed();
    const large = JSON.stringify("x".repeat(20 * 1024 * 1024));
    await expect(start(bed, large)).rejects.toMatchObject({ hint: "PayloadTooLarge" });
    const signalled = bed.query("SELECT cairn.signal_run(gen_random_uuid(), 'news', to_json(repeat('x', 17000000)))");
    await expect(signalled).rejects.toMatchObject({ hint: "PayloadTooLarge" });
    for (const sql of ["cancel_run", "delete_run"]) {
      const ended = bed.query(`SELECT cairn.${sql}(gen_random_uuid(), repeat('x', 10001))`);
      await expect(ended).rejects.toMatchObject({ hint: "InvalidOption" });
    }
    await expect(start(bed, "{")).rejects.toThrow("invalid input syntax for type json");
    await expect(start(bed, "1", { idempotencyKey: "\0" })).rejects.toThrow("unsupported Unicode escape sequence");
    await expect(start(bed, "1", { tags: ["\ud800"] })).rejects.toThrow("invalid input syntax for type json");
    expect(await bed.query("SELECT FROM cairn.runs")).toEqual([]);
  });

  it("keeps a payload with NUL and half of a surrogate pair as it was written", async () => {
    const bed = await storeBed();
    const payload = String.raw`{"b":-0,"a":"\u0000\ud800","b2":1e400}`;
    await start(bed, payload);
    expect(await bed.query("SELECT payload::text FROM cairn.runs")).toEqual([{ payload }]);
  });

  it("with an id that was used is the same start, if it is the same", async () => {
    const bed = await storeBed();
    const id = newRunId(await databaseTime(bed.client));
    for (const _ of [1, 2, 3]) expect(await start(bed, "1", { id })).toBe(id);
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(1);
    expect(await bed.query("SELECT FROM cairn.run_events")).toHaveLength(1);
    await expect(start(bed, "2", { id })).rejects.toMatchObject({ hint: "IdConflict" });
  });

  it("with an id that another transaction is about to use waits for that, and is the same start", async () => {
    const bed = await storeBed();
    const id = newRunId(await databaseTime(bed.client));
    const other = await bed.connect();
    const text = "SELECT cairn.start_run('test.noop.v1', '1', jsonb_build_object('id', $1::uuid)) AS id";
    await other.query("BEGIN");
    await other.query(text, [id]);
    const second = bed.query(text, id);
    await other.query("COMMIT");
    expect(await second).toEqual([{ id }]);
  });

  it("with a key that was used returns the first run; with another payload it is refused", async () => {
    const bed = await storeBed();
    const first = await start(bed, '{"n":1}', { idempotencyKey: "k" });
    expect(await start(bed, '{"n":1}', { idempotencyKey: "k" })).toBe(first);
    await expect(start(bed, '{"n":2}', { idempotencyKey: "k" })).rejects.toMatchObject({ hint: "IdempotencyConflict" });
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(1);
    await bed.query("SELECT cairn.delete_run($1)", first);
    const second = await start(bed, '{"n":2}', { idempotencyKey: "k" });
    expect(second).not.toBe(first);
    expect(await bed.query("SELECT run_id AS id FROM cairn.idempotency_keys")).toEqual([{ id: second }]);
  });

  it("starts one run when many use a key at once", async () => {
    const bed = await storeBed();
    const clients = await Promise.all(Array.from({ length: 8 }, () => bed.connect()));
    const text = `SELECT cairn.start_run('test.noop.v1', '1', '{"idempotencyKey":"k"}') AS id`;
    const ids = await Promise.all(clients.map(async (client) => (await client.query(text)).rows[0].id));
    expect(new Set(ids).size).toBe(1);
    expect(await bed.query("SELECT id FROM cairn.runs")).toEqual([{ id: ids[0] }]);
  });
});

describe("a run started by SQL", () => {
  it("runs, and its payload is checked when it is first claimed: one that does not fit fails with InvalidInput", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const begin = async (type: string, payload: string): Promise<string> =>
      (await bed.query<{ id: string }>("SELECT cairn.start_run($1, $2) AS id", type, payload))[0]!.id;
    const deep = `${"[".repeat(2_000)}${"]".repeat(2_000)}`;
    const wrong = await Promise.all(
      ['{"n":"x"}', "null", "[]", '{"$date":"never"}', '{"$ref":7}', '{"$nonsense":1}', deep].map((payload) =>
        begin("test.sums.v1", payload),
      ),
    );
    const right = await begin("test.sums.v1", '{"n":4}');
    for (const id of wrong) {
      await expect(cairn.run(id).result()).rejects.toMatchObject({ name: "InvalidInput" });
      const [row] = await bed.query("SELECT status, last_error, error FROM cairn.workflow_run WHERE id = $1", id);
      expect(row).toMatchObject({ status: "failed", error: { $error: { names: ["InvalidInput", "Error"] } } });
      expect(row!["last_error"]).toMatch(/^InvalidInput: test\.sums\.v1: input/);
    }
    const [first] = await bed.query("SELECT last_error FROM cairn.workflow_run WHERE id = $1", wrong[0]!);
    expect(first!["last_error"]).toBe('InvalidInput: test.sums.v1: input: "n": expected number, not "x"');
    expect(await cairn.run(right).result()).toBe(10);
    expect(await bed.query("SELECT FROM cairn.outbox_event WHERE event_type = 'cairn.run.failed.v1'")).toHaveLength(7);
    await (await cairn.start(sums, { n: 0 })).result();
  });

  it("does not begin before its time because of a signal", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const runAt = await later(bed, 3_600_000);
    const run = await cairn.start(approved, undefined, { runAt });
    await run.signal("approval", "early");
    const probe = await cairn.start(approved);
    await probe.signal("approval", "a");
    await probe.signal("approval", "b");
    await probe.result();
    expect(await run.status()).toMatchObject({ status: "pending", phase: "sleeping" });
    await bed.advance(3_600_000);
    await run.signal("approval", "late");
    expect(await run.result()).toEqual(["early", "late"]);
  });
});
