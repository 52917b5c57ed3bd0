import { Refused } from "../../hub/refused.ts";
import type { Engine } from "../../library/engine.ts";
import type { EventFilter } from "../../live/event-follower.ts";
import type { LiveSource } from "../../live/live-source.ts";
import { positionIn } from "../../live/tail-items.ts";
import { isTailLonger, TAIL_BEGINNING, type TailPosition } from "../../store/read-events.ts";

/** From its beginning, or after a cursor. */
export function followRun(
  { live }: Engine,
  run: { readonly id: string; readonly type: string },
  after: string | null,
): Promise<LiveSource> {
  return live.runs.follow(run.id, run.type, positionAfter(after));
}

/** Whether something is behind a cursor. */
export function hasMoreOfRun(
  { client }: Engine,
  { id: runId }: { readonly id: string },
  after: string | null,
): Promise<boolean> {
  return isTailLonger(client, { runId, ...(positionAfter(after) ?? TAIL_BEGINNING) });
}

/** From now on, or after a cursor. */
export function followEvents({ live }: Engine, filter: EventFilter, after: string | null): Promise<LiveSource> {
  return live.events.follow(filter, numberIn(after));
}

/** The same of what people do. */
export function followAudit({ live }: Engine, filter: EventFilter, after: string | null): Promise<LiveSource> {
  return live.audit.follow(filter, numberIn(after));
}

function positionAfter(cursor: string | null): TailPosition | null {
  const position = cursor === null ? null : positionIn(cursor);
  if (cursor !== null && position === null) throw strangeCursor("such as 1204-7");
  return position;
}

function numberIn(after: string | null): number | null {
  if (after !== null && !/^\d{1,15}$/.test(after)) throw strangeCursor("such as 1204");
  return after === null ? null : Number(after);
}

function strangeCursor(example: string): Refused {
  return new Refused("InvalidMessage", `after, or Last-Event-ID, is the cursor of an event of this stream, ${example}`);
}
