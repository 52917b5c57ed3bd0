import type { Page } from "@cairnjs/schemas/rest";
import { Refused } from "../hub/refused.ts";

/** Of items of which one more was looked for than is answered: then there are others behind. */
export function pageBy<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => Item,
): { items: Item[]; next: string | null } {
  const shown = rows.slice(0, limit);
  return { items: shown.map(itemOf), next: rows.length > limit ? cursorOf(shown.at(-1)!) : null };
}

/** Of a list that is made as a whole: the cursor is how many came before. */
export function pageOfAll<Row, Item>(
  all: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  itemOf: (row: Row) => Item,
): Page<Item> & { items: Item[] } {
  const from = numberCursor(cursor);
  return pageBy(all.slice(from, from + limit + 1), limit, () => String(from + limit), itemOf);
}

/** A cursor that is a number; without one, 0. */
export function numberCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) throw strangeCursor();
  return Number(cursor);
}

export function strangeCursor(): Refused {
  return new Refused("InvalidMessage", "The cursor is not one: give the next of the answer before");
}
