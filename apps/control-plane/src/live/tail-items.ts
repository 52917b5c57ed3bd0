import type { LiveStep } from "@cairnjs/schemas/rest";
import type { TailPosition, ToldStepRow } from "../store/read-events.ts";
import { liveText } from "./event-ring.ts";
import type { LiveItem } from "./live-source.ts";
import type { Told } from "./tail-order.ts";

/** What one who watches is given at a time. */
const BATCH_LENGTH_MAX = 256 * 1024;

/** As many as are told at a time, and where they end. */
export function itemsOf(
  runId: string,
  type: string,
  all: Iterable<Told>,
): { readonly items: LiveItem[]; readonly last: TailPosition | null } {
  const items: LiveItem[] = [];
  let length = 0;
  let last: TailPosition | null = null;
  for (const told of all) {
    last = told.position;
    const cursor = tailCursor(last);
    const text = liveText(cursor, runId, type, "event" in told ? told.event : saidOf(told.step));
    items.push({ cursor, text });
    length += text.length;
    if (length > BATCH_LENGTH_MAX) break;
  }
  return { items, last };
}

function saidOf({ at, ...said }: ToldStepRow): Parameters<typeof liveText>[3] {
  return { kind: "step", data: JSON.stringify(said satisfies LiveStep), at };
}

export function tailCursor({ event, number }: TailPosition): string {
  return `${event}-${number}`;
}

/** Null: it is none. */
export function positionIn(cursor: string): TailPosition | null {
  const [, event, number] = /^(\d{1,15})-(\d{1,9})$/.exec(cursor) ?? [];
  return event === undefined ? null : { event: Number(event), number: Number(number) };
}
