import { type EndedRun, EndedRuns, InNamespace, WaitForRunsBody } from "@cairnjs/schemas/rest";
import { Refused } from "../../hub/refused.ts";
import { isRunId } from "../../ids.ts";
import { Shares, type ShareLimits } from "../../shares.ts";
import { statusesOfRuns } from "../../store/find-runs.ts";
import { holderOfRequest } from "../guard/request-limits.ts";
import { heldRequest } from "../held-request.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Runs that are waited for by requests that are held: what one takes in memory is little, but each is looked at again and again. */
const WAITED: ShareLimits = { all: 100_000, ofCaller: 20_000 };

/** Waiting for many runs by one request. */
export function addRunWaitRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  const waited = new Shares(WAITED);
  app.post(
    "/runs/wait",
    {
      config: { scope: "read", isQuestion: true },
      schema: { querystring: InNamespace, body: WaitForRunsBody, response: { 200: EndedRuns } },
    },
    async (request, reply) => {
      const namespace = namespaceOf(request);
      const { ids, waitMs } = request.body;
      const first = await endedOf(context, namespace, ids);
      if (first.length > 0 || waitMs === 0) return { items: first };
      const holder = holderOfRequest(request);
      // None of them was missing, so each is the id of a run.
      const own = [...new Set(ids.map((id) => id.toLowerCase()))];
      const usedUp = waited.usedUp(holder, own.length);
      if (usedUp === "all") throw new Refused("Unavailable", `${WAITED.all} runs are waited for here already`);
      if (usedUp !== null) throw new Refused("RateLimited", "Too many runs are waited for: try again in a while");
      waited.add(holder, own.length);
      try {
        await heldRequest(context, request, reply, waitMs, (over) => engine.waiters.waitForOne(namespace, own, over));
      } finally {
        waited.add(holder, -own.length);
      }
      return { items: await endedOf(context, namespace, ids) };
    },
  );
}

/** Those that have ended, and those that are not there, each as it was asked for. */
async function endedOf({ engine }: RestContext, namespace: string, ids: readonly string[]): Promise<EndedRun[]> {
  const found = await statusesOfRuns(
    engine.client,
    namespace,
    ids.filter((id) => isRunId(id)),
  );
  const statuses = new Map(found.map(({ id, status }) => [id, status]));
  return [...new Set(ids)].flatMap((id) => {
    const status = statuses.get(id.toLowerCase());
    return status === null ? [] : [{ id, status: status ?? "missing" }];
  });
}
