import type pg from "pg";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { Patience } from "../../src/library/patience.ts";
import { Starter } from "../../src/library/starter.ts";
import { Programs } from "../../src/runloop/programs.ts";
import { ScheduleBook } from "../../src/scheduler/schedule-book.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { openPool } from "../../src/store/connection.ts";

/** What an engine has for schedules, without the engine. */
export interface SchedulerParts {
  readonly pool: pg.Pool;
  readonly book: ScheduleBook;
  readonly scheduler: Scheduler;
}

export function openSchedulerParts(url: string, purpose: string): SchedulerParts {
  const pool = openPool(url, purpose);
  const starter = new Starter({
    client: pool,
    programs: new Programs(pool, () => performance.now()),
    blobs: openBlobs(pool, null),
    patience: new Patience(0, url),
    now: () => Date.now(),
    start: () => Promise.resolve([]),
  });
  const options = {
    client: pool,
    prepare: starter.prepare.bind(starter),
    now: () => Date.now(),
    tell: () => {},
    firingsMax: 1_000,
    count: () => {},
    warn: () => {},
  };
  return { pool, book: new ScheduleBook(options), scheduler: new Scheduler(options) };
}
