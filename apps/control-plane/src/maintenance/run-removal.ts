import { timeOfRunId } from "../ids.ts";
import {
  countRuns,
  countRunsOver,
  type DeletedRun,
  deletedRunsOver,
  kindsOfRuns,
  type EndedBefore,
  type Removal,
  removeRuns,
  type RunKind,
  runsOver,
} from "../store/remove-runs.ts";
import { listWeeks, type Week, WEEK_MS } from "../store/weeks.ts";
import { Pace } from "./pace.ts";
import { overBefore, type Pass } from "./pass.ts";

const PACE = { first: 200, least: 20, most: 2_000 };
/** Of a week, so many runs must be over, and so large a part of it, for its partitions to be rewritten: else rows are deleted. */
const REWRITE_RUNS_MIN = 500;
const REWRITE_SHARE_MIN = 0.5;
/** Times a week is gone through: a child is over when its parent has gone. */
const ROUNDS_MAX = 100;

/** Removes runs that are over: those that have ended, and those that were deleted. */
export async function removeOver(pass: Pass): Promise<void> {
  const kinds = await kindsOfRuns(pass.client);
  const over = kinds.flatMap(({ namespace, type }): KindOver[] => {
    const keepMs = pass.keeps.of("runs", namespace, type);
    if (keepMs === null) return [];
    const endedBefore = pass.now - keepMs;
    return [{ namespace, type, endedBefore, startedBefore: startedBefore(keepMs, endedBefore) }];
  });
  const pace = new Pace(PACE, pass.signal);
  for (const week of over.length === 0 ? [] : await listWeeks(pass.client)) await removeOfWeek(pass, pace, week, over);
  await removeDeleted(pass, pace, kinds);
}

interface KindOver extends EndedBefore {
  readonly startedBefore: number;
}

/**
 * Runs that are kept for a week or longer go with the week in which they began, when all of it is over: then it is rewritten once. If
 * each went at its time, a week would be deleted row by row.
 */
export function startedBefore(keepMs: number, endedBefore: number): number {
  return keepMs < WEEK_MS ? endedBefore : weekOf(endedBefore);
}

async function removeOfWeek(pass: Pass, pace: Pace, week: Week, all: readonly KindOver[]): Promise<void> {
  const over = all.filter((each) => each.startedBefore > week.at);
  if (over.length === 0) return;
  const withHistory = !(await isMostOver(pass, week, over));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let removed = 0;
    for (const each of over) removed += await removeOfKind(pass, pace, week, each, withHistory);
    if (removed === 0) return;
  }
}

async function isMostOver({ client }: Pass, week: Week, over: readonly KindOver[]): Promise<boolean> {
  let count = 0;
  for (const each of over) count += await countRunsOver(client, each, week);
  return count >= REWRITE_RUNS_MIN && count >= REWRITE_SHARE_MIN * (await countRuns(client, week));
}

async function removeOfKind(pass: Pass, pace: Pace, week: Week, over: KindOver, withHistory: boolean): Promise<number> {
  const { endedBefore, namespace } = over;
  let removed = 0;
  let { after } = week;
  for (;;) {
    await pass.keepTask();
    const ids = await pace.piece(async (size) => {
      const page = await runsOver(pass.client, over, { after, to: week.to }, size);
      const removal = { week: week.at, ids: page, endedBefore, deletedBefore: null, withHistory };
      if (page.length > 0) removed += await removeArchived(pass, namespace, removal);
      return page;
    });
    // What could not be removed is for the next round.
    if (ids.length === 0) return removed;
    after = ids.at(-1)!;
  }
}

/** What cannot be archived stays. */
async function removeArchived(pass: Pass, namespace: string, removal: Removal): Promise<number> {
  const { client, archive, done } = pass;
  const ids = archive === null ? removal.ids : await archive.write(namespace, removal.ids);
  if (archive !== null) done.runsArchived += ids.length;
  if (ids.length === 0) return 0;
  const count = await removeRuns(client, { ...removal, ids });
  done.runsRemoved += count;
  return count;
}

/** They are few: nothing is rewritten for them. */
async function removeDeleted(pass: Pass, pace: Pace, kinds: readonly RunKind[]): Promise<void> {
  const over = kinds.flatMap(({ namespace, type }) => {
    const before = overBefore(pass.now, pass.keeps.of("deleted", namespace, type));
    return before === null ? [] : [{ namespace, type, before }];
  });
  let after = { id: "00000000-0000-0000-0000-000000000000", deletedAt: 0 };
  for (;;) {
    await pass.keepTask();
    const page = await pace.piece(async (size) => {
      const some = await deletedRunsOver(pass.client, over, after, size);
      for (const [key, ids] of grouped(some)) {
        const [week, namespace, type] = JSON.parse(key) as [number, string, string];
        const { before } = over.find((each) => each.namespace === namespace && each.type === type)!;
        const removal = { week, ids, endedBefore: null, deletedBefore: before, withHistory: true };
        await removeArchived(pass, namespace, removal);
      }
      return some;
    });
    if (page.length === 0) return;
    after = page.at(-1)!;
  }
}

/** By week, namespace and type. */
function grouped(runs: readonly DeletedRun[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, namespace, type } of runs) {
    const key = JSON.stringify([weekOf(timeOfRunId(id)), namespace, type]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [id]);
    else group.push(id);
  }
  return groups;
}

/** A Monday: weeks of partitions begin then, in UTC. */
const SOME_MONDAY_MS = Date.UTC(1970, 0, 5);

export function weekOf(at: number): number {
  return SOME_MONDAY_MS + Math.floor((at - SOME_MONDAY_MS) / WEEK_MS) * WEEK_MS;
}
