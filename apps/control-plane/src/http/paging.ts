import { Name } from "@cairnjs/schemas";
import type { Page } from "@cairnjs/schemas/rest";
import { z } from "zod";
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

/** How a list that is made as a whole is shown. */
interface Listed<Row, Item> {
  /** The order of the list, where a cursor needs not say to which order it belongs. */
  readonly usual: string;
  /** What each has for itself alone: of those that are alike otherwise, this is the order, and behind a cursor no other one has it. */
  readonly keyOf: (row: Row) => string | number;
  readonly itemOf: (row: Row) => Item;
  /** By what they are sorted; without it, the field of that name. */
  readonly sortedBy?: (row: Row, field: string) => unknown;
}

/** The next ones behind a cursor, which is the place of an item, so that others may come and go between two pages. */
export function sortedPage<Row, Item>(
  all: readonly Row[],
  query: PageQuery,
  { usual, keyOf, itemOf, sortedBy = (row, field) => row[field as keyof Row] }: Listed<Row, Item>,
): Page<Item> & { items: Item[] } {
  const order = new Order(query, usual);
  const places = all.map((row): Place<Row> => ({ row, value: sortedBy(row, order.field) ?? null, key: keyOf(row) }));
  // Of two with one place, a page that ends with the first would lose the second.
  if (new Set(places.map(({ key }) => key)).size < places.length) throw new Error("Two items of a list have one key");
  const compare = (a: Place<unknown>, b: Place<unknown>): number =>
    order.compare(a.value, b.value) || (a.key < b.key ? -1 : Number(a.key > b.key));
  const sorted = places.toSorted(compare);
  const after = order.cursor === undefined ? null : placeIn(order.cursor);
  const from = after === null ? 0 : sorted.findIndex((place) => compare(place, after) > 0);
  const behind = from === -1 ? [] : sorted.slice(from, from + query.limit + 1);
  const cursorOf = ({ value, key }: Place<Row>): string => order.next(JSON.stringify([value, key]))!;
  return pageBy(behind, query.limit, cursorOf, ({ row }) => itemOf(row));
}

interface Place<Row> {
  readonly row: Row;
  readonly value: unknown;
  readonly key: string | number;
}

const SortedCursor = z.tuple([z.union([z.string(), z.number(), z.null()]), z.union([z.string(), z.number()])]);

function placeIn(cursor: string): Place<null> {
  try {
    const [value, key] = SortedCursor.parse(JSON.parse(cursor));
    return { row: null, value, key };
  } catch {
    throw strangeCursor();
  }
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
