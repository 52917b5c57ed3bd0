import type { Page } from "@cairnjs/schemas/rest";
import type { Query, Transport } from "./transport.ts";

const PAGE = 500;

/** All items of a list, or the first of them, page by page: the next page is asked for when someone wants it. */
export async function* itemsOf<Item>(
  transport: Transport,
  path: string,
  { query = {}, signal }: ListOptions = {},
): AsyncGenerator<Item, void> {
  let left = mostOf(query["limit"]);
  let cursor: string | undefined = query["cursor"] === undefined ? undefined : String(query["cursor"]);
  while (left > 0) {
    const asked = { ...query, limit: Math.min(left, PAGE), cursor };
    const page: Page<Item> = await transport.ask({ method: "GET", path, query: asked, repeatable: true, signal });
    yield* page.items;
    left -= page.items.length;
    if (page.next === null) return;
    cursor = page.next;
  }
}

/** So many; all, if nothing is said. */
function mostOf(limit: Query[string]): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const most = limit === "" ? Number.NaN : Number(limit);
  if (most >= 0 && (Number.isInteger(most) || most === Number.POSITIVE_INFINITY)) return most;
  throw new TypeError("limit is a whole number: so many items, of all pages together");
}

interface ListOptions {
  /** `limit` is of all pages together. */
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
}
