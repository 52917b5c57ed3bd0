import { ListWorkers, pageOf, WorkerSummary } from "@cairnjs/schemas/rest";
import { listWorkers } from "../../store/list-workers.ts";
import { timeOf } from "../json-values.ts";
import { sortedPage } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Who runs calls. */
export function addWorkerRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  app.get(
    "/workers",
    { config: { scope: "read" }, schema: { querystring: ListWorkers, response: { 200: pageOf(WorkerSummary) } } },
    async (request) => {
      const { worker, pool } = request.query;
      const all = await listWorkers(engine.client, namespaceOf(request));
      const rows = all.filter((row) => row.worker === (worker ?? row.worker) && row.pool === (pool ?? row.pool));
      return sortedPage(rows, request.query, {
        usual: "worker",
        // A worker has a row on each control plane that it is connected to.
        keyOf: (row) => `${row.worker} ${row.pool}`,
        itemOf: ({ connectedAt, lastSeen, ...row }) => ({
          ...row,
          connectedAt: timeOf(connectedAt),
          lastSeen: timeOf(lastSeen),
        }),
      });
    },
  );
}
