import { TIME_MS_MAX } from "@cairnjs/schemas";
import {
  Backfilled,
  BackfillScheduleBody,
  EmptyBody,
  InNamespace,
  ListSchedules,
  pageOf,
  PauseScheduleBody,
  ScheduleDetails,
  SchedulePath,
  ScheduleSummary,
  ShowSchedule,
  TriggeredRun,
  TriggerScheduleBody,
  UpsertScheduleBody,
  WithIdempotencyKey,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { checkedTime } from "../../scheduler/schedule-options.ts";
import type { ScheduleKey } from "../../store/schedules.ts";
import { idempotencyKey, idUnder } from "../idempotency.ts";
import { timeOf } from "../json-values.ts";
import { Order, pageBy, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { optionsOfUpsert, summaryOfSchedule } from "../schedule-views.ts";

/** What starts runs at certain times. */
export function addScheduleRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  const { schedules: book } = engine;
  const keyOf = (request: FastifyRequest): ScheduleKey => ({
    namespace: namespaceOf(request),
    ...(request.params as SchedulePath),
  });
  const path = "/schedules/:type/:name";
  const one = { params: SchedulePath, querystring: InNamespace, response: { 200: ScheduleSummary } };
  app.get(
    "/schedules",
    { config: { scope: "read" }, schema: { querystring: ListSchedules, response: { 200: pageOf(ScheduleSummary) } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const { type = null, status = null, limit } = request.query;
      const order = new Order(request.query, "name");
      const after = order.cursor === undefined ? null : keyOfCursor(order.cursor);
      const look = { after, backwards: order.isDescending, limit: limit + 1 };
      const rows = await book.list(namespace, { type, status, ...look });
      const cursorOf = ({ type: of, name }: SchedulePath): string => order.next(JSON.stringify({ type: of, name }))!;
      return pageBy(rows, limit, cursorOf, summaryOfSchedule);
    },
  );
  app.get(
    path,
    {
      config: { scope: "read" },
      schema: { params: SchedulePath, querystring: ShowSchedule, response: { 200: ScheduleDetails } },
    },
    async (request) => {
      const key = keyOf(request);
      const row = await book.show(key);
      // Of an interval of a hundred years, some are at no time that can be written.
      const times = (await book.upcoming(key, request.query.upcoming)).filter((at) => at <= TIME_MS_MAX);
      return { ...summaryOfSchedule(row), upcoming: times.map(timeOf) };
    },
  );
  app.put(
    path,
    { config: { scope: "operate", audit: "schedule.set" }, schema: { ...one, body: UpsertScheduleBody } },
    async (request) =>
      summaryOfSchedule(await book.upsert(keyOf(request), optionsOfUpsert(request.body), request.body.reactivate)),
  );
  app.post(
    `${path}/pause`,
    { config: { scope: "operate", audit: "schedule.pause" }, schema: { ...one, body: PauseScheduleBody } },
    async (request) => summaryOfSchedule(await book.pause(keyOf(request), request.body?.reason ?? null)),
  );
  app.post(
    `${path}/resume`,
    { config: { scope: "operate", audit: "schedule.resume" }, schema: { ...one, body: EmptyBody } },
    async (request) => summaryOfSchedule(await book.resume(keyOf(request))),
  );
  app.post(
    `${path}/trigger`,
    {
      config: { scope: "operate", audit: "schedule.trigger" },
      schema: { ...one, headers: WithIdempotencyKey, body: TriggerScheduleBody, response: { 201: TriggeredRun } },
    },
    async (request, reply) => {
      const key = keyOf(request);
      const asked = idempotencyKey(request);
      const allowDuplicate = request.body?.allowDuplicate ?? null;
      const given = asked === null ? null : await idUnder(context, key.namespace, request, asked, { allowDuplicate });
      return reply.code(201).send({ id: await book.trigger(key, allowDuplicate, given) });
    },
  );
  app.post(
    `${path}/backfill`,
    {
      config: { scope: "operate", audit: "schedule.backfill" },
      schema: { ...one, body: BackfillScheduleBody, response: { 200: Backfilled } },
    },
    async (request) => {
      const key = keyOf(request);
      const { from, to } = request.body;
      const until = to === undefined ? null : checkedTime("to", new Date(to));
      return { started: await book.backfill(key, checkedTime("from", new Date(from)), until) };
    },
  );
  app.delete(
    path,
    {
      config: { scope: "operate", audit: "schedule.delete" },
      schema: { ...one, body: EmptyBody, response: { 200: SchedulePath } },
    },
    async (request) => {
      await book.delete(keyOf(request));
      return request.params;
    },
  );
}

function keyOfCursor(cursor: string): SchedulePath {
  try {
    return SchedulePath.parse(JSON.parse(cursor));
  } catch {
    throw strangeCursor();
  }
}
