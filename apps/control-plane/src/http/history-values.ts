import type { InputOfRun, Page } from "@cairnjs/schemas/rest";
import { resolveHistory } from "../blobs/resolve-rows.ts";
import type { Engine } from "../library/engine.ts";
import { readable } from "../library/readable.ts";
import { loadHistory } from "../store/load-runs.ts";
import { jsonOfText } from "./json-values.ts";
import { numberCursor, Order, type PageQuery } from "./paging.ts";

/** Of the values of one answer, as texts. */
const VALUES_LENGTH_MAX = 16 * 1024 * 1024;

/** The page with what its inputs say; cut where that becomes too much. */
export async function withValues(
  engine: Engine,
  id: string,
  page: Page<InputOfRun>,
  query: PageQuery,
): Promise<{ items: InputOfRun[]; next: string | null }> {
  const items: InputOfRun[] = [];
  let left = VALUES_LENGTH_MAX;
  for (const input of page.items) {
    const stored = await loadHistory(engine.client, [{ id, after: input.number - 1, upTo: input.number }]);
    const [row] = await readable(resolveHistory(engine.blobs, stored));
    left -= row?.value?.length ?? 0;
    if (left < 0 && items.length > 0) return { items, next: behind(items.length, query) };
    const value = row?.value ?? null;
    items.push(value === null ? input : { ...input, value: jsonOfText(value) });
  }
  return { items, next: page.next };
}

/** The list is made as a whole: its cursor is how many came before. */
function behind(count: number, query: PageQuery): string {
  const order = new Order(query, "number");
  return order.next(String(numberCursor(order.cursor) + count))!;
}
