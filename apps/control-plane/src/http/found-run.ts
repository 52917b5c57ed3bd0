import type { FastifyRequest } from "fastify";
import { isRunId } from "../ids.ts";
import { missingError } from "../library/engine-error.ts";
import { requireRun } from "../library/require-run.ts";
import type { RunView } from "../store/find-runs.ts";
import type { RestContext } from "./rest.ts";

/** The run of the path, in the namespace of whoever asks. */
export async function foundRun({ engine, namespaceOf }: RestContext, request: FastifyRequest): Promise<RunView> {
  const { id } = request.params as { readonly id: string };
  const namespace = namespaceOf(request);
  if (!isRunId(id)) throw missingError(id);
  return requireRun(engine.client, namespace, id.toLowerCase());
}
