import { describe, expect, it } from "vitest";
import type { RunHandle } from "../../src/index.ts";
import { leaseOfPool, needsWorker, poolOf, servesLease } from "../../src/runloop/pools.ts";
import { registeredJob } from "../../src/library/registered-job.ts";
import { registerJobs } from "../../src/store/register-jobs.ts";
import { connect } from "../support/test-runloop.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { executions, holding, holdingChild } from "../workflows/held.ts";

const leases = { "held.": 120_000, "held.child.v1": 60_000 };

async function leaseOf(bed: TestBed, run: RunHandle): Promise<number> {
  const [row] = await bed.query<{ lease: number }>(
    `SELECT o.lease_ms AS lease FROM cairn.queue AS q JOIN cairn.owners AS o ON o.id = q.owner WHERE q.run_id = $1`,
    run.id,
  );
  return row!.lease;
}

async function held(key: string): Promise<void> {
  await until(async () => executions.some((execution) => execution.key === key));
}

function release(key: string): void {
  for (const execution of executions) if (execution.key === key) execution.succeed("done");
}

describe("leases per type", () => {
  it.each([0, 1])("one owner a length holds the runs of the types that have it (runloops: %i)", async (runloops) => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops, leases });
    const lengths = await bed.query("SELECT lease_ms FROM cairn.owners ORDER BY 1");
    expect(lengths).toEqual([{ lease_ms: 30_000 }, { lease_ms: 60_000 }, { lease_ms: 120_000 }]);
    const keys = [`leases ${runloops}`, `leases ${runloops} of a child`, `leases ${runloops} by SQL`] as const;
    const run = await cairn.start(holding, keys[0]);
    const parent = await cairn.start(holdingChild, keys[1]);
    const [row] = await bed.query<{ id: string }>(
      "SELECT cairn.start_run('held.one.v1', to_json($1::text)) AS id",
      keys[2],
    );
    for (const key of keys) await held(key);
    expect(await leaseOf(bed, run)).toBe(120_000);
    expect(await leaseOf(bed, parent)).toBe(60_000);
    expect(await leaseOf(bed, cairn.run(row!.id))).toBe(120_000);
    const [child] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", parent.id);
    expect(await leaseOf(bed, cairn.run(child!.id))).toBe(120_000);
    for (const key of keys) release(key);
    expect(await Promise.all([run, parent, cairn.run(row!.id)].map((each) => each.result()))).toEqual(
      keys.map(() => "done"),
    );
  });

  it("a process that knows nothing of a length takes such runs under its usual lease: nothing is left waiting", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ leases });
    await cairn.close();
    const [row] = await bed.query<{ id: string }>(
      "SELECT cairn.start_run('held.one.v1', '\"leases of others\"') AS id",
    );
    expect(await bed.query("SELECT pool FROM cairn.queue")).toEqual([{ pool: "default:@120000:*" }]);
    const other = await bed.open();
    await held("leases of others");
    expect(await leaseOf(bed, other.run(row!.id))).toBe(30_000);
    release("leases of others");
    expect(await other.run(row!.id).result()).toBe("done");
  });

  it("whoever registers last decides, and what starts afterwards has that", async () => {
    const bed = await testBed();
    await (await bed.open({ leases })).close();
    await (await bed.open({ leases: { "held.one": 45_000 } })).close();
    const lengths = await bed.query(
      "SELECT name, lease_ms FROM cairn.workflow_versions WHERE name LIKE 'held.%' ORDER BY 1",
    );
    expect(lengths).toContainEqual({ name: "held.one.v1", lease_ms: 45_000 });
    expect(lengths).toContainEqual({ name: "held.child.v1", lease_ms: null });
  });

  it("stay as they are, of workflows and of jobs, when a process registers that says nothing of leases", async () => {
    const bed = await testBed();
    const said = { "held.": 45_000, "test.": 60_000 };
    await (await bed.open({ leases: said })).close();
    const client = await connect(bed);
    const job = (leaseMs: number | null | undefined) =>
      registerJobs(client, "default", [registeredJob("test.job", 3, leaseMs)]);
    await job(60_000);
    await (await bed.open()).close();
    await job(undefined);
    const lengths = async (): Promise<unknown[]> =>
      bed.query(
        "SELECT name, lease_ms FROM cairn.workflow_versions WHERE name IN ('held.one.v1', 'test.job') ORDER BY 1",
      );
    expect(await lengths()).toEqual([
      { name: "held.one.v1", lease_ms: 45_000 },
      { name: "test.job", lease_ms: 60_000 },
    ]);
    await job(null);
    expect(await lengths()).toContainEqual({ name: "test.job", lease_ms: null });
  });

  it("that another process has changed count for what starts here a second later, in whatever version it is asked for", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const later = (): { runAt: Date } => ({ runAt: new Date(Date.now() + 3_600_000) });
    const [row] = await bed.query<{ version: string }>(
      "SELECT version FROM cairn.workflow_versions WHERE name = 'held.one.v1'",
    );
    const poolsOf = async (): Promise<unknown[]> => {
      const runs = [
        await cairn.start(holding, "later", later()),
        await cairn.start(holding, "later", { ...later(), version: row!.version }),
      ];
      const ids = runs.map(({ id }) => id);
      const rows = await bed.query<{ pool: string }>("SELECT pool FROM cairn.queue WHERE run_id = ANY ($1)", ids);
      return rows.map(({ pool }) => pool);
    };
    expect(await poolsOf()).toEqual(["default:*", "default:*"]);
    await bed.open({ leases });
    await until(async () => (await poolsOf()).every((pool) => pool === "default:@120000:*"));
  });

  it("show in the pool, of workflows and of jobs", () => {
    const job = poolOf("tenant", { name: "billing.refund.v1", kind: "action", leaseMs: 5_000 });
    expect(job).toBe("tenant:@5000:billing");
    expect([leaseOfPool(job), needsWorker(job)]).toEqual([5_000, true]);
    const usual = poolOf("tenant", { name: "billing.v1", kind: "workflow", leaseMs: null });
    expect([usual, leaseOfPool(usual), needsWorker(usual)]).toEqual(["tenant:*", null, false]);
    const served = (own: number | null): boolean[] =>
      [usual, job, "tenant:@9:*"].map((pool) => servesLease({ own, others: [5_000] }, pool));
    expect([served(null), served(5_000)]).toEqual([
      [true, false, true],
      [false, true, false],
    ]);
  });
});
