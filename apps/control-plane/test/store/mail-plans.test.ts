import { describe, expect, it } from "vitest";
import { envelopesOf, mailSizes, runsWithMail, sweepMail } from "../../src/store/mail.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

/** What a statement may touch for each run that has mail, however many letters that are. */
const BLOCKS_MAX = 100;
/** The first 1,000 letters, by their index. */
const BLOCKS_OF_LETTERS_MAX = 4_000;

describe("beside 200,000 letters to one paused run", () => {
  it("looks for mail, wake-ups and the sweep read a bounded number of blocks", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [paused, held] = [await bed.newRun(), await bed.newRun()];
    await startRuns(bed.client, null, [paused]);
    await startRuns(owner.client, owner.id, [held]);
    await bed.query(
      "UPDATE cairn.queue SET state = 'parked', phase = 'paused', paused = true, started_at = cairn.now() WHERE run_id = $1",
      paused.id,
    );
    await bed.query(
      `INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
      SELECT id, 'signal', 'news', '1', cairn.now() FROM generate_series(1, 200000) CROSS JOIN (VALUES ($1::uuid)) AS r (id)`,
      paused.id,
    );
    await bed.query("SELECT cairn.signal_run($1, 'news')", held.id);
    expect(await runsWithMail(bed.client, owner.id)).toEqual([held.id]);
    const asked: readonly (readonly [name: string, blocksMax: number, ask: (client: Queryable) => Promise<unknown>])[] =
      [
        ["wake-ups", BLOCKS_MAX, (client) => wakeRuns(client)],
        ["runs with mail", BLOCKS_MAX, (client) => runsWithMail(client, owner.id)],
        ["sweep", BLOCKS_MAX, (client) => sweepMail(client)],
        ["letters", BLOCKS_OF_LETTERS_MAX, (client) => envelopesOf(client, [paused.id]).next()],
        ["sizes", BLOCKS_OF_LETTERS_MAX, (client) => mailSizes(client, [paused.id])],
      ];
    for (const [name, blocksMax, ask] of asked) {
      const plans: Plan[] = [];
      await ask(explaining(owner.client, plans));
      expect(plans.length, name).toBeGreaterThan(0);
      for (const plan of plans) {
        const what = `${name}: ${nodesOf(plan)
          .map((node) => `${node["Node Type"]} ${node["Index Name"] ?? ""}`)
          .join("; ")}`;
        expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], what).toBeLessThan(blocksMax);
      }
    }
  });
});
