import {
  EventOfRun,
  ExportedRun,
  InNamespace,
  InPages,
  InputOfRun,
  pageOf,
  RunPath,
  StepAttempt,
  StepOfRun,
} from "@cairnjs/schemas/rest";
import { resolveAttempts } from "../../blobs/resolve-rows.ts";
import { readable } from "../../library/readable.ts";
import { runContext, runOf } from "../../library/run-of.ts";
import { readSteps } from "../../library/run-steps.ts";
import { listEvents } from "../../store/list-events.ts";
import { loadAttempts } from "../../store/load-attempts.ts";
import { exportRun } from "../export-run.ts";
import { foundRun } from "../found-run.ts";
import { numberCursor, pageBy, pageOfAll } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { attemptOf, eventOf, inputOf, stepOf } from "../run-views.ts";

/** What a run has done. */
export function addRunPartRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  const listed = { params: RunPath, querystring: InPages };
  app.get("/runs/:id/steps", { schema: { ...listed, response: { 200: pageOf(StepOfRun) } } }, async (request) => {
    const { id, namespace } = await foundRun(context, request);
    const steps = await readable(readSteps(runContext(engine, namespace), id));
    return pageOfAll(steps, request.query, stepOf);
  });
  app.get("/runs/:id/attempts", { schema: { ...listed, response: { 200: pageOf(StepAttempt) } } }, async (request) => {
    const { id } = await foundRun(context, request);
    const rows = await loadAttempts(engine.client, id);
    return pageOfAll(await readable(resolveAttempts(engine.blobs, id, rows)), request.query, attemptOf);
  });
  app.get("/runs/:id/history", { schema: { ...listed, response: { 200: pageOf(InputOfRun) } } }, async (request) => {
    const inputs = await runOf(engine, namespaceOf(request), request.params.id).history();
    return pageOfAll(inputs, request.query, inputOf);
  });
  app.get("/runs/:id/events", { schema: { ...listed, response: { 200: pageOf(EventOfRun) } } }, async (request) => {
    const { id } = await foundRun(context, request);
    const { limit, cursor } = request.query;
    const rows = await listEvents(engine.client, id, numberCursor(cursor), limit + 1);
    return pageBy(rows, limit, (event) => String(event.id), eventOf);
  });
  app.get(
    "/runs/:id/export",
    { schema: { params: RunPath, querystring: InNamespace, response: { 200: ExportedRun } } },
    async (request) => {
      const { id, namespace } = await foundRun(context, request);
      return readable(exportRun(runContext(engine, namespace), id, engine.now()));
    },
  );
}
