import { firstRunId } from "../ids.ts";
import { countEventsOver, countOutboxOver, countOver, type RunsOver } from "../store/count-over.ts";
import { kindsOfRuns } from "../store/remove-runs.ts";
import type { Queryable } from "../store/statement.ts";
import type { Keeps } from "./keeps.ts";
import { overBefore } from "./pass.ts";
import { startedBefore, weekOf } from "./run-removal.ts";

/** What is over of a type, at this moment. */
export interface OverOfType {
  readonly type: string;
  /** Runs that would be removed now, those that were deleted among them. */
  readonly runs: number;
  /** Events of runs that stay. */
  readonly events: number;
}

export interface RetentionPreview {
  readonly types: readonly OverOfType[];
  /** Events for others, by their types. */
  readonly outbox: readonly { readonly type: string; readonly events: number }[];
}

/** Counts what would go, and removes nothing. It reads what it counts: of very many runs that takes a while. */
export async function previewRetention(
  client: Queryable,
  namespace: string,
  keeps: Keeps,
  now: number,
): Promise<RetentionPreview> {
  const types: OverOfType[] = [];
  for (const { type } of (await kindsOfRuns(client)).filter((kind) => kind.namespace === namespace)) {
    const over = runsOverOf(keeps, now, namespace, type);
    const runs = await countOver(client, over);
    const before = overBefore(now, keeps.of("events", namespace, type));
    const events = before === null ? 0 : await countEventsOver(client, over, before, firstRunId(weekOf(before)));
    if (runs + events > 0) types.push({ type, runs, events });
  }
  const outbox = await countOutboxOver(client, namespace, (type) =>
    overBefore(now, keeps.of("outbox", namespace, type)),
  );
  return { types, outbox };
}

function runsOverOf(keeps: Keeps, now: number, namespace: string, type: string): RunsOver {
  const keepMs = keeps.of("runs", namespace, type);
  const endedBefore = overBefore(now, keepMs);
  const deletedBefore = overBefore(now, keeps.of("deleted", namespace, type));
  const to = firstRunId(endedBefore === null ? 0 : startedBefore(keepMs!, endedBefore));
  return { namespace, type, endedBefore, to, deletedBefore };
}
