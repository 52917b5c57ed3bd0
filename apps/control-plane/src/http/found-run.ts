import type { FastifyRequest } from "fastify";
import { isRunId } from "../ids.ts";
import { EngineError } from "../library/engine-error.ts";
import { findRun, type RunView } from "../store/find-runs.ts";
import type { RestContext } from "./rest.ts";

/** The run of the path, in the namespace of whoever asks. */
export async function foundRun({ engine, namespaceOf }: RestContext, request: FastifyRequest): Promise<RunView> {
  const { id } = request.params as { readonly id: string };
  const namespace = namespaceOf(request);
  const found = isRunId(id) ? await findRun(engine.client, namespace, id.toLowerCase()) : undefined;
  if (found === undefined) throw new EngineError("NotFound", `There is no run ${id}`);
  return found;
}
