import { EventFeed } from "../../src/live/event-feed.ts";
import type { LiveSource } from "../../src/live/live-source.ts";
import { RUN_LOG } from "../../src/live/live-log.ts";
import { RunTails } from "../../src/live/run-tails.ts";
import { openPool } from "../../src/store/connection.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { cleanUp } from "./cleanups.ts";
import type { TestBed } from "./test-engine.ts";
import type { Told } from "./test-live.ts";

/** As another control plane has them, which holds no run. What they ask of the database is counted. */
export function tailsElsewhere(bed: TestBed): { readonly tails: RunTails; asked: number } {
  const pool = openPool(bed.url, "test", 2);
  const elsewhere = { asked: 0 };
  const counted = {
    query: (...given: Parameters<Queryable["query"]>) => {
      elsewhere.asked += 1;
      return pool.query(...given);
    },
  } as unknown as Queryable;
  const feed = new EventFeed({
    log: RUN_LOG,
    client: pool,
    now: () => performance.now(),
    warn: () => {},
    told: (events) => tails.told(events),
  });
  const tails = new RunTails(counted, () => feed);
  cleanUp(async () => {
    tails.close();
    feed.close();
    await pool.end();
  });
  return Object.assign(elsewhere, { tails });
}

/** What someone was told of a run. */
export interface Heard {
  readonly runId: string;
  readonly told: Told[];
}

/** To its end. */
export async function listen(source: LiveSource, { told }: Heard): Promise<void> {
  for (;;) {
    const batch = await source.next();
    if (batch.kind !== "items") return source.close();
    told.push(...batch.items.map(({ text }) => JSON.parse(text) as Told));
  }
}
