import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isLockTimeout } from "../store/contention.ts";
import { kindsOfRuns } from "../store/remove-runs.ts";
import {
  abandonRewrites,
  beginRewrite,
  copyPage,
  deleteEventsPage,
  dropPart,
  type EventsBefore,
  type EventsCursor,
  eventsSwept,
  finishRewrite,
  forgetWeek,
  listWeeks,
  noteRemovedEvents,
  PARTITIONED,
  type Partitioned,
  partName,
  sampleEvents,
  type Week,
  WEEK_MS,
  weekRewritten,
} from "../store/weeks.ts";
import { Pace } from "./pace.ts";
import { overBefore, type Pass } from "./pass.ts";

const PACE = { first: 100, least: 10, most: 2_000 };
/** Of each end of a week. */
const SAMPLED_RUNS = 1_000;
/** Of the events that were looked at: with fewer that are over, these are deleted where they are. */
const REWRITE_EVENTS_MIN = 500;
const REWRITE_SHARE_MIN = 0.5;
/** Those of runs that have ended since are looked for so often. */
const AGAIN_MS = WEEK_MS;
/** Runs of a week may be started a day after it. */
const EARLIEST_DROP_MS = WEEK_MS + 2 * 24 * 60 * 60 * 1_000;
/** The pause after the first try to have a table for a moment. */
const TRY_AGAIN_MS = 100;
const TRY_AGAIN_MAX_MS = 10_000;

/**
 * Gives back the space of weeks: rewrites the partitions of runs that were removed, removes events that are over, and drops partitions
 * of weeks that have no runs.
 */
export async function sweepWeeks(pass: Pass): Promise<void> {
  const { client, now, keeps } = pass;
  await briefly(pass, () => abandonRewrites(client));
  const pace = new Pace(PACE, pass.signal);
  const held: Held = new Set();
  const over = (await kindsOfRuns(client)).flatMap(({ namespace, type }): EventsBefore[] => {
    const before = overBefore(now, keeps.of("events", namespace, type));
    return before === null ? [] : [{ namespace, type, before }];
  });
  for (const week of await listWeeks(client)) {
    await pass.keepTask();
    if ((await dropEmpty(pass, held, week)) !== "has runs") continue;
    if (week.removed > 0) await rewriteWeek(pass, held, pace, week, over);
    else if (isEventsDue(pass, week)) await sweepEvents(pass, held, pace, week, over);
  }
}

/** Tables that somebody stood in the way of. They are left alone for the rest of the pass: to try costs a minute each time. */
type Held = Set<Partitioned>;

/** Of those that are held up, nothing is dropped: the next pass finds what is left of the week. */
async function dropEmpty(pass: Pass, held: Held, week: Week): Promise<"dropped" | "held" | "has runs"> {
  const { client, now, done } = pass;
  if (week.hasRuns || week.at > now - EARLIEST_DROP_MS) return "has runs";
  for (const table of week.tables) {
    if (held.has(table)) continue;
    const dropped = await taken(pass, held, table, week, "dropped", () => dropPart(client, table, week));
    if (dropped === false) return "has runs";
    if (dropped === true) done.partitionsDropped += 1;
  }
  if (week.tables.some((table) => held.has(table))) return "held";
  await forgetWeek(client, week);
  return "dropped";
}

async function rewriteWeek(
  pass: Pass,
  held: Held,
  pace: Pace,
  week: Week,
  over: readonly EventsBefore[],
): Promise<void> {
  for (const table of PARTITIONED) {
    if (held.size > 0 || !(await rewrite(pass, held, pace, table, week, over))) return;
  }
  await eventsSwept(pass.client, week);
  await weekRewritten(pass.client, week);
}

/** False: somebody holds the table. What was begun is thrown away: the next pass begins anew. */
async function rewrite(
  pass: Pass,
  held: Held,
  pace: Pace,
  table: Partitioned,
  week: Week,
  over: readonly EventsBefore[],
): Promise<boolean> {
  const { client, done } = pass;
  const token = randomBytes(4).toString("hex");
  const isTaken = async (take: () => Promise<void>): Promise<boolean> =>
    !((await taken(pass, held, table, week, "rewritten", take)) instanceof HeldUp);
  if (held.has(table) || !(await isTaken(() => beginRewrite(client, table, week, token)))) return false;
  if (table === "run_events") await noteRemovedEvents(client, week, over);
  for (let after: string | null = week.after; after !== null;) {
    await pass.keepTask();
    const from: string = after;
    after = await pace.piece((limit) => copyPage(client, table, week, { token, after: from, limit }, over));
  }
  if (!(await isTaken(() => finishRewrite(client, table, week, token)))) return false;
  done.partitionsRewritten += 1;
  return true;
}

async function taken<T>(
  pass: Pass,
  held: Held,
  table: Partitioned,
  week: Week,
  what: "dropped" | "rewritten",
  take: () => Promise<T>,
): Promise<T | HeldUp> {
  const result = await briefly(pass, take);
  if (!(result instanceof HeldUp)) return result;
  held.add(table);
  pass.warn(`The partition ${partName(table, week.at)} could not be ${what}, and is tried again later`, result.cause);
  return result;
}

/** When the last event of its week is over, by any of the lengths; then again from time to time. */
function isEventsDue({ now, keeps }: Pass, { at, eventsAt }: Week): boolean {
  const since = eventsAt ?? Number.NEGATIVE_INFINITY;
  const due = keeps.lengths("events").map((keepMs) => at + WEEK_MS + keepMs);
  return due.some((each) => each <= now && (since < each || since < now - AGAIN_MS));
}

async function sweepEvents(
  pass: Pass,
  held: Held,
  pace: Pace,
  week: Week,
  over: readonly EventsBefore[],
): Promise<void> {
  const { client, done } = pass;
  const sample = await sampleEvents(client, week, SAMPLED_RUNS, over);
  if (sample.over >= REWRITE_EVENTS_MIN && sample.over >= REWRITE_SHARE_MIN * sample.all) {
    if (await rewrite(pass, held, pace, "run_events", week, over)) await eventsSwept(client, week);
    return;
  }
  await noteRemovedEvents(client, week, over);
  for (let after: EventsCursor | null = { runId: week.after, id: 0 }; after !== null;) {
    await pass.keepTask();
    const from: EventsCursor = after;
    const { last, deleted } = await pace.piece((limit) => deleteEventsPage(client, week, from, limit, over));
    done.eventsRemoved += deleted;
    after = last;
  }
  await eventsSwept(client, week);
}

/** Somebody stood in the way, however often it was tried. */
class HeldUp extends Error {
  override name = "HeldUp";
}

/**
 * What takes the lock of a whole table waits for it for a tenth of a second, since everyone else waits behind it, and is tried again
 * later, the later the longer.
 */
async function briefly<T>(pass: Pass, take: () => Promise<T>): Promise<T | HeldUp> {
  let last: unknown;
  for (let tries = 0; tries < pass.lockTriesMax; tries++) {
    await pass.keepTask();
    try {
      return await take();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      last = error;
    }
    await delay(Math.min(TRY_AGAIN_MAX_MS, TRY_AGAIN_MS * 2 ** tries), undefined, { signal: pass.signal });
  }
  return new HeldUp("held up", { cause: last });
}
