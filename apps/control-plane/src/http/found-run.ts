import type { FastifyRequest } from "fastify";
import { isRunId } from "../ids.ts";
import { missingError } from "../library/engine-error.ts";
import { requireRun, requireRunWithValues } from "../library/require-run.ts";
import type { RunSummaryView, RunView } from "../store/find-runs.ts";
import type { RestContext } from "./rest.ts";

/** The run of the path, in the namespace of whoever asks; without its values. */
export async function foundRun(context: RestContext, request: FastifyRequest): Promise<RunSummaryView> {
  const { namespace, id } = pathOf(context, request);
  return requireRun(context.engine.client, namespace, id);
}

export async function foundRunWithValues(context: RestContext, request: FastifyRequest): Promise<RunView> {
  const { namespace, id } = pathOf(context, request);
  return requireRunWithValues(context.engine.client, namespace, id);
}

function pathOf({ namespaceOf }: RestContext, request: FastifyRequest): { namespace: string; id: string } {
  const { id } = request.params as { readonly id: string };
  const namespace = namespaceOf(request);
  if (!isRunId(id)) throw missingError(id);
  return { namespace, id: id.toLowerCase() };
}
