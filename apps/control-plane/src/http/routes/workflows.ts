import {
  InNamespace,
  ListVersions,
  ListWorkflows,
  pageOf,
  Promoted,
  PromoteBody,
  VersionSummary,
  WorkflowDetails,
  WorkflowPath,
  WorkflowSummary,
} from "@cairnjs/schemas/rest";
import { EngineError } from "../../library/engine-error.ts";
import { findName, listNames, listVersions, type NameRow, type VersionRow } from "../../store/list-versions.ts";
import { findVersion, promoteVersion } from "../../store/register-version.ts";
import { storedOrNull, timeOf } from "../json-values.ts";
import { nameInCursor, Order, pageBy, sortedPage } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** What can be started: workflows, and actions as jobs. */
export function addWorkflowRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  app.get(
    "/workflows",
    { config: { scope: "read" }, schema: { querystring: ListWorkflows, response: { 200: pageOf(WorkflowSummary) } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const { limit, kind = null, name = null } = request.query;
      const order = new Order(request.query, "name");
      const look = { kind, name, after: nameInCursor(order.cursor), backwards: order.isDescending, limit: limit + 1 };
      const rows = await listNames(engine.client, namespace, look);
      return pageBy(rows, limit, (row) => order.next(JSON.stringify(row.name))!, workflowOf);
    },
  );
  app.get(
    "/workflows/:name",
    {
      config: { scope: "read" },
      schema: { params: WorkflowPath, querystring: InNamespace, response: { 200: WorkflowDetails } },
    },
    async (request) => {
      const namespace = namespaceOf(request);
      const { name } = request.params;
      const current = await findVersion(engine.client, namespace, name, null);
      if (current === undefined) throw unknown(name, null);
      const row = (await findName(engine.client, namespace, name))!;
      const { maxAttempts, tags, inputSchema } = current;
      return { ...workflowOf(row), inputSchema: storedOrNull(inputSchema), maxAttempts, tags: [...tags] };
    },
  );
  app.get(
    "/workflows/:name/versions",
    {
      config: { scope: "read" },
      schema: { params: WorkflowPath, querystring: ListVersions, response: { 200: pageOf(VersionSummary) } },
    },
    async (request) => {
      const { name } = request.params;
      const rows = await listVersions(engine.client, namespaceOf(request), name);
      if (rows.length === 0) throw unknown(name, null);
      const { programHash, since, until } = request.query;
      const wanted = rows.filter(
        (row) =>
          (programHash === undefined || row.programHash === programHash) &&
          (since === undefined || row.createdAt >= Date.parse(since)) &&
          (until === undefined || row.createdAt < Date.parse(until)),
      );
      return sortedPage(wanted, request.query, {
        usual: "-createdAt",
        keyOf: ({ version }) => version,
        itemOf: versionOf,
      });
    },
  );
  app.post(
    "/workflows/:name/promote",
    {
      config: { scope: "operate", audit: "workflow.promote" },
      schema: { params: WorkflowPath, querystring: InNamespace, body: PromoteBody, response: { 200: Promoted } },
    },
    async (request) => {
      const namespace = namespaceOf(request);
      const [{ name }, { version }] = [request.params, request.body];
      if (!(await promoteVersion(engine.client, namespace, name, version))) throw unknown(name, version);
      engine.programs.forgetCurrent(namespace, name);
      return { name, current: version };
    },
  );
}

function workflowOf({ since, ...row }: NameRow): WorkflowSummary {
  return { ...row, since: timeOf(since) };
}

export function versionOf({ createdAt, ...row }: VersionRow): VersionSummary {
  return { ...row, createdAt: timeOf(createdAt) };
}

export function unknown(name: string, version: string | null): EngineError {
  const what = version === null ? name : `${name} in the version ${version}`;
  return new EngineError("UnknownType", `Nothing is registered as ${what}`);
}
