import { Name } from "@cairnjs/schemas";
import type { Page } from "@cairnjs/schemas/rest";
import { Refused } from "../hub/refused.ts";

/** What every list is asked with. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
}

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

/** Of a list that is made as a whole, in its order: the cursor is how many came before. */
function pageOfAll<Row, Item>(
  all: readonly Row[],
  { limit, cursor }: Pick<PageQuery, "limit" | "cursor">,
  itemOf: (row: Row) => Item,
): Page<Item> & { items: Item[] } {
  const from = numberCursor(cursor);
  return pageBy(all.slice(from, from + limit + 1), limit, () => String(from + limit), itemOf);
}

/** The same in the order that is asked for; `usual` is that of the list, where a cursor needs not say to which order it belongs. */
export function sortedPage<Row, Item>(
  all: readonly Row[],
  query: PageQuery,
  usual: string,
  itemOf: (row: Row) => Item,
  valueOf: (row: Row, field: string) => unknown = (row, field) => row[field as keyof Row],
): Page<Item> & { items: Item[] } {
  const order = new Order(query, usual);
  const { cursor } = order;
  const sorted = all.toSorted((a, b) => order.compare(valueOf(a, order.field), valueOf(b, order.field)));
  const { items, next } = pageOfAll(
    sorted,
    { limit: query.limit, ...(cursor === undefined ? {} : { cursor }) },
    itemOf,
  );
  return { items, next: order.next(next) };
}

/** In which order a list is asked for, and the cursor that belongs to it. */
export class Order {
  readonly field: string;
  readonly isDescending: boolean;
  /** As the list itself has made it. */
  readonly cursor: string | undefined;
  readonly #prefix: string;

  constructor({ sort, cursor }: Omit<PageQuery, "limit">, usual: string) {
    this.isDescending = sort.startsWith("-");
    this.field = this.isDescending ? sort.slice(1) : sort;
    this.#prefix = sort === usual ? "" : `${sort}~`;
    if (cursor !== undefined && (!cursor.startsWith(this.#prefix) || /^-?[A-Za-z]+~/.test(this.#own(cursor))))
      throw new Refused("InvalidMessage", "The cursor is not one of this order: give the next of the answer before");
    this.cursor = cursor === undefined ? undefined : this.#own(cursor);
  }

  #own(cursor: string): string {
    return cursor.slice(this.#prefix.length);
  }

  next(cursor: string | null): string | null {
    return cursor === null ? null : `${this.#prefix}${cursor}`;
  }

  /** What has no value comes last. */
  compare(a: unknown, b: unknown): number {
    const [left, right] = [a ?? null, b ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = left < right ? -1 : Number(left > right);
    return this.isDescending ? -order : order;
  }
}

/** A cursor that is a number; without one, 0. */
export function numberCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) throw strangeCursor();
  return Number(cursor);
}

/** A cursor that is a name, as JSON; null without one. */
export function nameInCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  try {
    return Name.parse(JSON.parse(cursor));
  } catch {
    throw strangeCursor();
  }
}

export function strangeCursor(): Refused {
  return new Refused("InvalidMessage", "The cursor is not one: give the next of the answer before");
}
