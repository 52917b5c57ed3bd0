import type pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { rebuild } from "../../src/library/rebuilding.ts";
import { Programs } from "../../src/runloop/programs.ts";
import { openConnection } from "../../src/store/connection.ts";
import { NUMBER_MAX } from "../../src/store/load-runs.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { testBed } from "../support/test-engine.ts";
import { sums } from "../workflows/basics.ts";

it("a run that is rolled back between the look at its snapshots and that at its inputs is looked at again", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const run = await cairn.start(sums, { n: 2 });
  await run.result();
  const connection = await openConnection(bed.url, "test");
  onTestFinished(() => connection.end());
  let rolledBack = 0;
  const query = async (config: { name: string; text: string; values: unknown[] }): Promise<pg.QueryResult> => {
    const answer = await connection.query(config);
    if (config.name === "cairn_load_snapshots" && rolledBack === 0) {
      rolledBack += 1;
      await run.rollback(1);
      await run.result();
    }
    return answer;
  };
  const client = { query } as unknown as Queryable;
  const programs = new Programs(client, () => 0);
  const sources = { client, programs, blobs: null as unknown as BlobStore, namespace: "default" };
  const { machine } = await rebuild(sources, run.id, NUMBER_MAX);
  expect(rolledBack).toBe(1);
  expect(machine).toMatchObject({ phase: "ended", inputNumber: 6 });
});
