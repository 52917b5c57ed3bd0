import { expect, it, onTestFinished } from "vitest";
import { Keeper } from "../../src/keeper/keeper.ts";
import { SharedCells } from "../../src/runloop/shared-cells.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { until } from "../support/test-engine.ts";
import { lockWith } from "../support/test-runloop.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

interface Wanted {
  readonly namespace?: string;
  readonly quarantined?: () => void;
  readonly cells?: SharedCells;
  readonly warn?: (message: string, error: unknown) => void;
}

function openKeeper(bed: StoreBed, { namespace, quarantined = () => {}, cells, warn = () => {} }: Wanted): void {
  const keeper = new Keeper({
    url: bed.url,
    namespace: namespace ?? null,
    heartbeatMs: 10,
    chunksKeptMs: 60_000,
    woken: () => {},
    quarantined,
    warn,
  });
  if (cells !== undefined) keeper.keep(cells);
  keeper.open();
  onTestFinished(() => keeper.close());
}

it("keeps leases while all else that it does waits for a lock of someone's", async () => {
  const bed = await storeBed();
  const owner = await bed.owner();
  const cells = new SharedCells();
  cells.owner = owner.id;
  let progress = 0;
  const release = await lockWith(bed, "LOCK TABLE cairn.mailbox IN ACCESS EXCLUSIVE MODE");
  openKeeper(bed, { cells: Object.defineProperty(cells, "progress", { get: () => ++progress }) });
  const blocked = (): Promise<unknown[]> =>
    bed.query(`SELECT pid, query_start FROM pg_stat_activity WHERE datname = current_database()
      AND application_name = 'cairn keeper' AND wait_event_type = 'Lock'`);
  const keptUntil = async (): Promise<number> =>
    Number((await bed.query("SELECT extract(epoch FROM expires_at) AS at FROM cairn.owners"))[0]!["at"]);
  // Seen by one statement that waited all the time.
  await until(async () => {
    const waiting = await blocked();
    if (waiting.length === 0) return false;
    const before = await keptUntil();
    await until(async () => (await keptUntil()) > before);
    const still = await blocked();
    return JSON.stringify(still) === JSON.stringify(waiting);
  });
  // Nor does it wait for ever.
  const [first] = await blocked();
  await until(async () => JSON.stringify((await blocked())[0]) !== JSON.stringify(first));
  await release();
});

it.each([
  ["55P03", "passed over"],
  ["40P01", "told"],
  ["23505", "told"],
])("an error with the code %s is %s, and what it was at is tried again", async (code, what) => {
  const bed = await storeBed();
  const run = await bed.newRun({ runAt: Date.now() + 60_000 });
  await startRuns(bed.client, null, [run]);
  // A sequence keeps what it was moved by, whatever becomes of the statement.
  await bed.sql.query(`CREATE SEQUENCE cairn.tries;
    CREATE FUNCTION cairn.refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('cairn.tries') < 3 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON cairn.queue FOR EACH ROW EXECUTE FUNCTION cairn.refuse_update()`);
  await bed.advance(61_000);
  const codes: unknown[] = [];
  openKeeper(bed, { warn: (_, error) => void codes.push((error as { code?: unknown }).code) });
  await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'ready'")).length === 1);
  expect(codes).toEqual(what === "told" ? [code, code] : []);
});

it("I7: takes over nobody, right after its own connection broke, whose session may have ended in the same way", async () => {
  const bed = await storeBed();
  const owner = await bed.owner();
  await startRuns(bed.client, null, [await bed.newRun()]);
  await bed.query("UPDATE cairn.queue SET crashes = 2");
  let looks = 0;
  openKeeper(bed, { quarantined: () => void looks++ });
  await until(async () => looks > 0);
  await bed.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const seen = looks;
  await until(async () => looks > seen);
  expect(await bed.query("SELECT id FROM cairn.owners")).toEqual([{ id: owner.id }]);
  await until(async () => (await bed.query("SELECT FROM cairn.owners")).length === 0);
});

it("says that there are runs in quarantine only if they are of its namespace", async () => {
  const bed = await storeBed();
  await startRuns(bed.client, null, [await bed.newRun()]);
  await bed.query("UPDATE cairn.queue SET crashes = 2");
  let [mine, theirs] = [0, 0];
  openKeeper(bed, { namespace: "other", quarantined: () => void theirs++ });
  openKeeper(bed, { namespace: "default", quarantined: () => void mine++ });
  await until(async () => mine >= 2);
  expect(theirs).toBe(0);
});
