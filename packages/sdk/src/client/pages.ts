import type { Page } from "@cairnjs/schemas/rest";
import type { Query, Transport } from "./transport.ts";

const PAGE = 500;

/** All items of a list, or the first of them, page by page: the next page is asked for when someone wants it. */
export async function* itemsOf<Item>(
  transport: Transport,
  path: string,
  { query = {}, most = Number.POSITIVE_INFINITY, signal }: ListOptions = {},
): AsyncGenerator<Item, void> {
  let left = most;
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

export interface ListOptions {
  readonly query?: Query;
  readonly most?: number;
  readonly signal?: AbortSignal | undefined;
}
