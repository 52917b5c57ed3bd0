import {
  EventOfRun,
  ExportedRun,
  InNamespace,
  InputOfRun,
  ListAttempts,
  ListEvents,
  ListHistory,
  ListSteps,
  pageOf,
  RunPath,
  ShowState,
  StateOfRun,
  StepAttempt,
  StepOfRun,
} from "@cairnjs/schemas/rest";
import { resolveAttempts } from "../../blobs/resolve-rows.ts";
import type { Engine } from "../../library/engine.ts";
import { readable } from "../../library/readable.ts";
import { inputsOf } from "../../library/run-inputs.ts";
import { runContext } from "../../library/run-of.ts";
import { readState, readSteps } from "../../library/run-steps.ts";
import { type AttemptPlace, listAttempts } from "../../store/list-attempts.ts";
import { listEvents } from "../../store/list-events.ts";
import { listInputs } from "../../store/list-inputs.ts";
import type { AttemptRow } from "../../store/load-attempts.ts";
import { newestNumber } from "../../store/load-checkpoint.ts";
import { loadRuns } from "../../store/load-runs.ts";
import { exportRun } from "../export-run.ts";
import { foundRun } from "../found-run.ts";
import { withValues } from "../history-values.ts";
import { KeptSteps } from "../kept-steps.ts";
import { numberCursor, Order, pageBy, sortedPage, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { attemptOf, eventOf, inputOf, stateOf, stepOf } from "../run-views.ts";

/** What a run has done. */
export function addRunPartRoutes(app: RestApp, context: RestContext): void {
  const { engine } = context;
  const kept = new KeptSteps();
  app.get(
    "/runs/:id/steps",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ListSteps, response: { 200: pageOf(StepOfRun) } },
    },
    async (request) => {
      const run = await foundRun(context, request);
      const { kind, status, name } = request.query;
      const all = await kept.of(run, () => readable(readSteps(runContext(engine, run.namespace), run.id)));
      const steps = all.filter(
        (step) => isOr(kind, step.kind) && isOr(status, step.status) && (name === undefined || step.name === name),
      );
      return sortedPage(steps, request.query, {
        usual: "number",
        keyOf: ({ call }) => callOrder(call),
        itemOf: stepOf,
      });
    },
  );
  app.get(
    "/runs/:id/attempts",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ListAttempts, response: { 200: pageOf(StepAttempt) } },
    },
    async (request) => {
      const { id } = await foundRun(context, request);
      const { call = null, outcome = null, limit } = request.query;
      const order = new Order(request.query, "startedAt");
      const by = order.field === "endedAt" ? "endedAt" : "startedAt";
      const after = order.cursor === undefined ? null : attemptIn(order.cursor);
      const look = { by, after, newestFirst: order.isDescending, call, outcome, limit: limit + 1 } as const;
      const rows = await listAttempts(engine.client, id, look);
      const cursor = (row: AttemptRow): string => order.next([row[by], row.attempt, row.call].join("_"))!;
      const { items, next } = pageBy(rows, limit, cursor, (row) => row);
      return { items: (await readable(resolveAttempts(engine.blobs, id, items))).map(attemptOf), next };
    },
  );
  app.get(
    "/runs/:id/history",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ListHistory, response: { 200: pageOf(InputOfRun) } },
    },
    async (request) => {
      const { id } = await foundRun(context, request);
      const { kind = null, limit, values } = request.query;
      const order = new Order(request.query, "number");
      const after = order.cursor === undefined ? null : numberCursor(order.cursor);
      const look = { after, newestFirst: order.isDescending, kind, limit };
      const { rows, next } = await listInputs(engine.client, id, look);
      const inputs = (await inputsOf(engine.client, id, rows)).map(inputOf);
      const items = values === true ? await withValues(engine, id, inputs) : inputs;
      // Fewer where their values are too much for one answer.
      const last = items.length < inputs.length ? items.at(-1)!.number : next;
      return { items: [...items], next: last === null ? null : order.next(String(last)) };
    },
  );
  app.get(
    "/runs/:id/events",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ListEvents, response: { 200: pageOf(EventOfRun) } },
    },
    async (request) => {
      const { id } = await foundRun(context, request);
      const { limit, kind = null } = request.query;
      const order = new Order(request.query, "at");
      const after = order.cursor === undefined ? null : numberCursor(order.cursor);
      const look = { after, newestFirst: order.isDescending, kind, limit: limit + 1 };
      const rows = await listEvents(engine.client, id, look);
      return pageBy(rows, limit, (event) => order.next(String(event.id))!, eventOf);
    },
  );
  app.get(
    "/runs/:id/state",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ShowState, response: { 200: StateOfRun } },
    },
    async (request) => {
      const { id, namespace } = await foundRun(context, request);
      const number = request.query.at ?? (await newestState(engine, id));
      return stateOf(await readable(readState(runContext(engine, namespace), id, number)));
    },
  );
  app.get(
    "/runs/:id/export",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: InNamespace, response: { 200: ExportedRun } },
    },
    async (request) => {
      const { id, namespace } = await foundRun(context, request);
      return readable(exportRun(runContext(engine, namespace), id, engine.now()));
    },
  );
}

/** Numbers in the names of calls are in the order of numbers. */
function callOrder(call: string): string {
  return call.replaceAll(/\d+/g, (digits) => digits.padStart(10, "0"));
}

function isOr<Value>(wanted: Value | undefined, value: Value): boolean {
  return wanted === undefined || wanted === value;
}

function attemptIn(cursor: string): AttemptPlace {
  const [, at, attempt, call] = /^(\d{1,15})_(\d{1,9})_(.{1,500})$/.exec(cursor) ?? [];
  if (call === undefined) throw strangeCursor();
  return { at: Number(at), attempt: Number(attempt), call };
}

/** A fork has the states of its original too. */
async function newestState(engine: Engine, id: string): Promise<number> {
  const newest = await newestNumber(engine.client, id);
  if (newest > 0) return newest;
  const [row] = await loadRuns(engine.client, [id]);
  return row?.forkedNumber ?? 0;
}
