import {
  AuditEntry,
  AuditSummary,
  ListAudit,
  ListTimeline,
  pageOf,
  RunPath,
  SummarizeAudit,
  TimelineEntry,
} from "@cairnjs/schemas/rest";
import { includesScope } from "@cairnjs/schemas";
import { summarizeAudit } from "../audit-summary.ts";
import { entriesAt, placeCursor, placeIn, sourcesOf } from "../run-timeline.ts";
import { type AuditRow, listAudit } from "../../store/audit-log.ts";
import { listPlaces } from "../../store/list-timeline.ts";
import { databaseTime } from "../../store/time.ts";
import { foundRun } from "../found-run.ts";
import { timeOf } from "../json-values.ts";
import { numberCursor, Order, pageBy } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { searcherOf } from "../searches.ts";

/** Who did what. */
export function addAuditRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  app.get(
    "/audit",
    { config: { scope: "admin" }, schema: { querystring: ListAudit, response: { 200: pageOf(AuditEntry) } } },
    async (request) => {
      const { who = null, action = null, runId = null, since, until, limit } = request.query;
      const order = new Order(request.query, "-at");
      const filter = {
        who,
        action,
        runId,
        since: since === undefined ? null : new Date(since),
        until: until === undefined ? null : new Date(until),
        after: order.cursor === undefined ? null : numberCursor(order.cursor),
        newestFirst: order.isDescending,
        limit: limit + 1,
      };
      const read = (): Promise<AuditRow[]> => listAudit(engine.client, namespaceOf(request), filter);
      const rows = await (who === null && action === null
        ? read()
        : context.searches.take(searcherOf(namespaceOf(request), request), read));
      return pageBy(rows, limit, ({ id }) => order.next(String(id))!, entryOf);
    },
  );
  app.get(
    "/audit/summary",
    { config: { scope: "admin" }, schema: { querystring: SummarizeAudit, response: { 200: AuditSummary } } },
    async (request) => {
      // Our own reckoning may be a little behind it, and what was done a moment ago would be missing.
      const now = await databaseTime(engine.client);
      const { window } = request.query;
      const namespace = namespaceOf(request);
      return context.searches.take(searcherOf(namespace, request), () =>
        summarizeAudit(engine.client, namespace, window, now),
      );
    },
  );
  app.get(
    "/runs/:id/timeline",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ListTimeline, response: { 200: pageOf(TimelineEntry) } },
    },
    async (request) => {
      const run = await foundRun(context, request);
      const { kind, limit } = request.query;
      const order = new Order(request.query, "at");
      const places = await listPlaces(engine.client, run, {
        sources: sourcesOf(kind, includesScope(request.caller.scopes, "admin")),
        after: order.cursor === undefined ? null : placeIn(order.cursor),
        newestFirst: order.isDescending,
        limit: limit + 1,
      });
      const shown = pageBy(
        places,
        limit,
        (place) => order.next(placeCursor(place))!,
        (place) => place,
      );
      return { items: await entriesAt(engine, run, shown.items), next: shown.next };
    },
  );
}

function entryOf({ at, detail, ...row }: AuditRow): AuditEntry {
  return { ...row, at: timeOf(at), detail: JSON.parse(detail) as Record<string, unknown> };
}
