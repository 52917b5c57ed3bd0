import { LIMIT_KEYS_MAX, LimitSummary, ListLimits, pageOf } from "@cairnjs/schemas/rest";
import { type LimitRow, listLimits } from "../../store/list-limits.ts";
import { nameInCursor, Order, pageBy } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** What limits actions, who has slots, and who waits. */
export function addLimitRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  app.get(
    "/limits",
    { config: { scope: "read" }, schema: { querystring: ListLimits, response: { 200: pageOf(LimitSummary) } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const { limit, name = null } = request.query;
      const order = new Order(request.query, "name");
      const look = { name, after: nameInCursor(order.cursor), backwards: order.isDescending };
      const rows = await listLimits(engine.client, namespace, { ...look, limit: limit + 1, keysMax: LIMIT_KEYS_MAX });
      return pageBy(rows, limit, (row) => order.next(JSON.stringify(row.name))!, summaryOf);
    },
  );
}

function summaryOf({ rate, perMs, keys, ...row }: LimitRow): LimitSummary {
  return { ...row, rate: rate === null ? null : { limit: rate, perMs: Number(perMs) }, keys: [...keys] };
}
