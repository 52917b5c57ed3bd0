import {
  InNamespace,
  InPages,
  pageOf,
  Promoted,
  PromoteBody,
  VersionSummary,
  WorkflowPath,
  WorkflowSummary,
} from "@cairnjs/schemas/rest";
import { isStorableText } from "@cairnjs/schemas";
import { EngineError } from "../../library/engine-error.ts";
import { listNames, listVersions } from "../../store/list-versions.ts";
import { promoteVersion } from "../../store/register-version.ts";
import { timeOf } from "../json-values.ts";
import { pageBy, pageOfAll, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** What can be started: workflows, and actions as jobs. */
export function addWorkflowRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  app.get(
    "/workflows",
    { schema: { querystring: InPages, response: { 200: pageOf(WorkflowSummary) } } },
    async (request) => {
      const { limit, cursor = "" } = request.query;
      if (!isStorableText(cursor)) throw strangeCursor();
      const rows = await listNames(engine.client, namespaceOf(request), cursor, limit + 1);
      return pageBy(
        rows,
        limit,
        ({ name }) => name,
        ({ since, ...row }) => ({ ...row, since: timeOf(since) }),
      );
    },
  );
  app.get(
    "/workflows/:name/versions",
    { schema: { params: WorkflowPath, querystring: InPages, response: { 200: pageOf(VersionSummary) } } },
    async (request) => {
      const { name } = request.params;
      const rows = await listVersions(engine.client, namespaceOf(request), name);
      if (rows.length === 0) throw unknown(name, null);
      return pageOfAll(rows, request.query, ({ createdAt, ...row }) => ({ ...row, createdAt: timeOf(createdAt) }));
    },
  );
  app.post(
    "/workflows/:name/promote",
    { schema: { params: WorkflowPath, querystring: InNamespace, body: PromoteBody, response: { 200: Promoted } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const [{ name }, { version }] = [request.params, request.body];
      if (!(await promoteVersion(engine.client, namespace, name, version))) throw unknown(name, version);
      engine.programs.forgetCurrent(namespace, name);
      return { name, current: version };
    },
  );
}

function unknown(name: string, version: string | null): EngineError {
  const what = version === null ? name : `${name} in the version ${version}`;
  return new EngineError("UnknownType", `Nothing is registered as ${what}`);
}
