import { describe, expect, it } from "vitest";
import type { Cairn } from "../../src/index.ts";
import { endExpired, forgetStartKeys } from "../../src/store/start-shaped.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, untilBlocked } from "../support/test-runloop.ts";
import { echo } from "../workflows/basics.ts";

const TYPE = "test.echo.v1";

/** A database in which the workflow is known, and nobody runs it. */
async function withoutEngine(): Promise<TestBed> {
  const bed = await testBed();
  const cairn = await bed.open();
  await (await cairn.start(echo, "first")).result();
  await cairn.close();
  return bed;
}

async function startBySql(bed: TestBed, input: string, options: object): Promise<string> {
  const [row] = await bed.query<{ id: string }>(
    "SELECT cairn.start_run($1, $2::json, $3) AS id",
    TYPE,
    JSON.stringify(input),
    JSON.stringify(options),
  );
  return row!.id;
}

const statusOf = async (bed: TestBed, id: string): Promise<{ status: string; last_error: string | null }> =>
  (
    await bed.query<{ status: string; last_error: string | null }>(
      "SELECT status, last_error FROM cairn.workflow_run WHERE id = $1",
      id,
    )
  )[0]!;

describe("debounce", () => {
  it("starts with one key are one run, which has the last input and begins a delay after the last of them", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const options = { debounce: { key: "cart", delay: "1 minute" } } as const;
    const first = await cairn.start(echo, "a", options);
    await bed.advance(50_000);
    const second = await cairn.start(echo, "b", options);
    const other = await cairn.start(echo, "c", { debounce: { key: "other", delay: "10 s" } });
    expect(second.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
    await bed.advance(20_000);
    expect(await other.result()).toBe("c");
    expect((await statusOf(bed, first.id)).status).toBe("pending");
    await bed.advance(50_000);
    expect(await first.result()).toBe("b");
    const later = await cairn.start(echo, "d", options);
    expect(later.id).not.toBe(first.id);
  });

  it("it begins `max` after the first start at the latest", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const options = { debounce: { key: "cart", delay: "1 minute", max: "100 s" } } as const;
    const first = await cairn.start(echo, "a", options);
    for (const input of ["b", "c"]) {
      await bed.advance(45_000);
      expect((await cairn.start(echo, input, options)).id).toBe(first.id);
    }
    await bed.advance(15_000);
    expect(await first.result()).toBe("c");
  });

  it("of starts that race, however many, one run comes, with the input of one of them", async () => {
    const bed = await withoutEngine();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(bed)));
    const ids = await Promise.all(
      clients.map(async (client, n) => {
        const { rows } = await client.query<{ id: string }>("SELECT cairn.start_run($1, $2::json, $3) AS id", [
          TYPE,
          JSON.stringify(`input ${n}`),
          JSON.stringify({ debounce: { key: "k", delay: 60_000 } }),
        ]);
        return rows[0]!.id;
      }),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await bed.query("SELECT FROM cairn.queue")).toHaveLength(1);
  });

  it("a run that was cancelled, or is being claimed, is not given another input", async () => {
    const bed = await withoutEngine();
    const options = { debounce: { key: "k", delay: 60_000 } };
    const first = await startBySql(bed, "a", options);
    await bed.query("SELECT cairn.cancel_run($1)", first);
    const second = await startBySql(bed, "b", options);
    expect(second).not.toBe(first);
    const client = await connect(bed);
    await client.query("BEGIN");
    await client.query("SELECT FROM cairn.queue WHERE run_id = $1 FOR UPDATE", [second]);
    const third = await startBySql(bed, "c", options);
    await client.query("ROLLBACK");
    expect(third).not.toBe(second);
  });
});

describe("deduplicate", () => {
  it("a start with the same key within the time is the first one, whatever its input, also when that has ended", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const options = { deduplicate: { key: "order 7", for: "1 hour" } } as const;
    const first = await cairn.start(echo, "a", options);
    expect(await first.result()).toBe("a");
    const second = await cairn.start(echo, "b", options);
    expect(second.id).toBe(first.id);
    await bed.advance(3_600_001);
    const third = await cairn.start(echo, "c", options);
    expect(third.id).not.toBe(first.id);
    expect(await third.result()).toBe("c");
    await first.delete();
    await third.delete();
    expect((await cairn.start(echo, "d", options)).id).not.toBe(third.id);
  });

  it("of starts that race one makes the run", async () => {
    const bed = await testBed();
    const engines: Cairn[] = [await bed.open(), await bed.open()];
    const options = { deduplicate: { key: "k", for: "1 hour" } } as const;
    await (await engines[0]!.start(echo, "x")).result();
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => engines[n % 2]!.start(echo, `input ${n}`, options)),
    );
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
  });

  it("whoever waits for a start with the same key that is about to commit is that run", async () => {
    const bed = await withoutEngine();
    const [one, other] = [await connect(bed), await connect(bed)];
    const options = { deduplicate: { key: "k", for: "1 hour" } };
    const start = async (client: typeof one): Promise<string> => {
      const values = [TYPE, JSON.stringify(options)];
      const { rows } = await client.query<{ id: string }>("SELECT cairn.start_run($1, '\"x\"', $2) AS id", values);
      return rows[0]!.id;
    };
    await one.query("BEGIN");
    const first = await start(one);
    const second = start(other);
    await untilBlocked(bed);
    await one.query("COMMIT");
    expect(await second).toBe(first);
  });

  it("keys that have expired are forgotten", async () => {
    const bed = await withoutEngine();
    await startBySql(bed, "a", { deduplicate: { key: "k", for: "1 minute" } });
    const client = await connect(bed);
    await forgetStartKeys(client);
    expect(await bed.query("SELECT FROM cairn.deduplication_keys")).toHaveLength(1);
    await bed.advance(61_000);
    await forgetStartKeys(client);
    expect(await bed.query("SELECT FROM cairn.deduplication_keys")).toHaveLength(0);
  });
});

describe("ttl", () => {
  it("a run that has not begun in time is cancelled with Expired, by keepers", async () => {
    const bed = await withoutEngine();
    const late = await startBySql(bed, "a", { ttl: "1 minute" });
    const early = await startBySql(bed, "b", { ttl: "1 hour" });
    await bed.advance(61_000);
    expect(await endExpired(await connect(bed))).toBe(1);
    expect(await statusOf(bed, late)).toEqual({
      status: "cancelled",
      last_error: "Expired: The run did not begin in time",
    });
    const cairn = await bed.open();
    expect(await cairn.run(early).result()).toBe("b");
  });

  it("that a later start of a debounced run gives counts for it", async () => {
    const bed = await withoutEngine();
    const debounce = { key: "k", delay: 1_000 };
    const first = await startBySql(bed, "a", { debounce });
    expect(await startBySql(bed, "b", { debounce, ttl: 5_000 })).toBe(first);
    await bed.advance(60_000);
    expect(await endExpired(await connect(bed))).toBe(1);
    expect(await statusOf(bed, first)).toMatchObject({ status: "cancelled" });
  });

  it("whoever claims one too late does not begin it", async () => {
    const bed = await withoutEngine();
    const late = await startBySql(bed, "a", { ttl: 60_000 });
    await bed.advance(61_000);
    await bed.query("DELETE FROM cairn.expiring_runs");
    const cairn = await bed.open();
    await expect(cairn.run(late).result()).rejects.toThrow("The run did not begin in time");
    expect((await statusOf(bed, late)).status).toBe("cancelled");
    expect(await bed.query("SELECT FROM cairn.history WHERE run_id = $1", late)).toHaveLength(0);
  });

  it("one that has begun is not ended by it, and the time counts from when it is due", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(echo, "a", { ttl: "1 minute", runAt: new Date(Date.now() + 600_000) });
    await bed.advance(599_000);
    expect(await endExpired(await connect(bed))).toBe(0);
    await bed.advance(2_000);
    expect(await run.result()).toBe("a");
    await bed.advance(120_000);
    expect(await endExpired(await connect(bed))).toBe(0);
    await until(async () => (await bed.query("SELECT FROM cairn.expiring_runs")).length === 0);
  });
});

it.each([
  [{ debounce: { key: "k", delay: "soon" } }, "debounce.delay"],
  [{ debounce: { key: "", delay: 1 } }, "debounce"],
  [{ debounce: { key: "k" } }, "debounce"],
  [{ deduplicate: { key: "k", for: 0 } }, "deduplicate.for"],
  [{ deduplicate: { key: "k", for: 1, more: 1 } }, "deduplicate"],
  [{ ttl: -1 }, "ttl"],
  [{ deduplicate: { key: "k", for: 1 }, idempotencyKey: "k" }, "one of"],
  [{ debounce: { key: "k", delay: 1 }, runAt: "2030-01-01T00:00:00Z" }, "runAt"],
])("options that cannot be right are refused, in SQL and by the library: %j", async (options, said) => {
  const bed = await testBed();
  const cairn = await bed.open();
  await cairn.start(echo, "x");
  await expect(startBySql(bed, "a", options)).rejects.toThrow(said);
  const { runAt } = options as { runAt?: string };
  const given = { ...options, ...(runAt === undefined ? {} : { runAt: new Date(runAt) }) };
  await expect(cairn.start(TYPE, "a", given as never)).rejects.toThrow(said);
});
