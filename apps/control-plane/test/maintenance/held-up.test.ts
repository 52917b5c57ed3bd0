import { expect, it } from "vitest";
import type { SweptBlobs } from "../../src/blobs/blob-store.ts";
import { sweepBlobs } from "../../src/maintenance/blob-sweep.ts";
import { Keeps, USUAL_KEEPS } from "../../src/maintenance/keeps.ts";
import type { Pass } from "../../src/maintenance/pass.ts";
import { nothingDone } from "../../src/maintenance/tally.ts";
import { sweepWeeks } from "../../src/maintenance/week-sweep.ts";
import { databaseTime } from "../../src/store/time.ts";
import { listWeeks } from "../../src/store/weeks.ts";
import { makeManyRuns, makePastPartitions } from "../support/many-runs.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

interface TestPass extends Pass {
  readonly warnings: string[];
}

async function beginPass({ client }: StoreBed): Promise<TestPass> {
  const warnings: string[] = [];
  return {
    client,
    now: await databaseTime(client),
    keeps: new Keeps([], { ...USUAL_KEEPS, events: 7 * DAY_MS }),
    archive: null,
    done: nothingDone(),
    signal: new AbortController().signal,
    keepTask: async () => {},
    lockTriesMax: 2,
    warn: (message) => void warnings.push(message),
    warnings,
  };
}

/** One blob, that nothing names. */
const BLOBS: SweptBlobs = {
  async *untouched() {
    yield ["0".repeat(64)];
  },
  removeUntouched: async () => 0,
};

it("one reader of one table holds up what is dropped of it, once in a pass: all else is done, and what is left by the next", async () => {
  const bed = await storeBed();
  const { client } = bed;
  await makePastPartitions(bed, 6);
  // The weeks before these have none.
  await makeManyRuns(bed, { count: 90, weeks: 3, type: "old.v1" });
  const weeks = await listWeeks(client);
  const empty = weeks.slice(
    0,
    weeks.findIndex(({ hasRuns }) => hasRuns),
  );
  expect(empty.length).toBeGreaterThanOrEqual(3);
  expect(empty.every(({ tables }) => tables.length === 4)).toBe(true);
  const oldEvents = "SELECT FROM cairn.run_events WHERE at < cairn.now() - interval '14 days'";
  expect(await bed.query(oldEvents)).not.toEqual([]);
  const reader = await bed.connect();
  await reader.query("BEGIN");
  await reader.query("SELECT count(*) FROM cairn.run_events");

  const first = await beginPass(bed);
  await sweepWeeks(first);
  expect(first.warnings).toEqual([expect.stringMatching(/^The partition run_events_\d{8} could not be dropped/)]);
  expect(first.done).toMatchObject({ partitionsDropped: 3 * empty.length });
  const left = (await listWeeks(client)).slice(0, empty.length);
  expect(left.map(({ at, tables }) => ({ at, tables }))).toEqual(
    empty.map(({ at }) => ({ at, tables: ["run_events"] })),
  );
  // Few events are deleted where they are, which nobody stands in the way of.
  expect(await bed.query(oldEvents)).toEqual([]);
  await sweepBlobs(first, [BLOBS], DAY_MS);

  await reader.query("COMMIT");
  const second = await beginPass(bed);
  await sweepWeeks(second);
  expect(second.warnings).toEqual([]);
  expect(second.done).toMatchObject({ partitionsDropped: empty.length });
  expect((await listWeeks(client))[0]!.at).toBeGreaterThan(empty.at(-1)!.at);
});
