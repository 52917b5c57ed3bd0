import { LetterFilter } from "@cairnjs/schemas";
import {
  ChangedLetters,
  InNamespace,
  ListOutbox,
  OutboxCounts,
  OutboxDetails,
  OutboxPath,
  OutboxSummary,
  pageOf,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { EngineError } from "../../library/engine-error.ts";
import { type Outbox, outboxOf } from "../../library/outbox.ts";
import { listOutbox, type OutboxEntry } from "../../store/outbox-letters.ts";
import { StoredJson } from "../../stored-json.ts";
import { timeOf, timeOrNull } from "../json-values.ts";
import { numberCursor, Order, pageBy } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Events for others, and what was not taken of them. */
export function addOutboxRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const of = (request: FastifyRequest): Outbox => outboxOf(engine, namespaceOf(request));
  app.get(
    "/outbox",
    { config: { scope: "read" }, schema: { querystring: ListOutbox, response: { 200: pageOf(OutboxSummary) } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const { namespace: _, limit, cursor: _cursor, sort: _sort, ...filter } = request.query;
      const order = new Order(request.query, "-createdAt");
      // Before the first one there is nothing, and 0 is no number of an event.
      const before = order.cursor === undefined ? {} : { before: Math.max(1, numberCursor(order.cursor)) };
      const look = { ...before, oldestFirst: !order.isDescending, limit: limit + 1 };
      const rows = await listOutbox(engine.client, namespace, { ...filter, ...look });
      return pageBy(rows, limit, ({ id }) => order.next(String(id))!, summaryOf);
    },
  );
  app.get(
    "/outbox/stats",
    { config: { scope: "read" }, schema: { querystring: InNamespace, response: { 200: OutboxCounts } } },
    async (request) => {
      const { oldestPendingAt, dispatchers, ...counts } = await of(request).stats();
      return { ...counts, oldestPendingAt: timeOrNull(oldestPendingAt), dispatchers: [...dispatchers] };
    },
  );
  app.get(
    "/outbox/:id",
    {
      config: { scope: "read" },
      schema: { params: OutboxPath, querystring: InNamespace, response: { 200: OutboxDetails } },
    },
    async (request) => {
      const outbox = of(request);
      const { id } = request.params;
      if (!/^\d{1,15}$/.test(id)) throw new EngineError("NotFound", `There is no event ${id} in the outbox`);
      const { data, deliveries, ...entry } = await outbox.showStored(Number(id));
      const shown = deliveries.map(({ nextAt, deadAt, ...delivery }) => ({
        ...delivery,
        nextAt: timeOrNull(nextAt),
        deadAt: timeOrNull(deadAt),
      }));
      return { ...summaryOf(entry), data: new StoredJson(data), deliveries: shown };
    },
  );
  for (const change of ["redrive", "discard"] as const) {
    app.post(
      `/outbox/${change}`,
      {
        config: { scope: "operate", audit: `outbox.${change}` },
        schema: { querystring: InNamespace, body: LetterFilter, response: { 200: ChangedLetters } },
      },
      async (request) => ({ count: await of(request)[change](request.body) }),
    );
  }
}

function summaryOf({ createdAt, publishedAt, ...entry }: OutboxEntry): OutboxSummary {
  return { ...entry, createdAt: timeOf(createdAt), publishedAt: timeOrNull(publishedAt) };
}
