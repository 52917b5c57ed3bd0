import { InPages, pageOf, WorkerSummary } from "@cairnjs/schemas/rest";
import { listWorkers } from "../../store/list-workers.ts";
import { timeOf } from "../json-values.ts";
import { pageOfAll } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Who runs calls. */
export function addWorkerRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  app.get(
    "/workers",
    { schema: { querystring: InPages, response: { 200: pageOf(WorkerSummary) } } },
    async (request) => {
      const rows = await listWorkers(engine.client, namespaceOf(request));
      return pageOfAll(rows, request.query, ({ connectedAt, lastSeen, ...row }) => ({
        ...row,
        connectedAt: timeOf(connectedAt),
        lastSeen: timeOf(lastSeen),
      }));
    },
  );
}
