import { encodeNative } from "@cairnjs/ir";
import type { StartRunBody } from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { Refused } from "../hub/refused.ts";
import { EngineError } from "../library/engine-error.ts";
import { isTraceparent, type StartRunOptions } from "../library/start-options.ts";
import type { StartRequest } from "../library/starter.ts";
import { valueIssue } from "../runloop/input-check.ts";
import { idempotencyKey, idUnder } from "./idempotency.ts";
import { textOfJson } from "./json-values.ts";
import type { RestContext } from "./rest.ts";

/** A start, as the engine takes it. The key of the request is that of the run; of one in a batch, with its place. */
export async function startRequest(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
  body: StartRunBody,
  place: number | null = null,
): Promise<StartRequest> {
  const { type, payload, converted = false } = body;
  const text = payload === undefined ? encodeNative(undefined) : textOfJson("payload", payload);
  if (converted) checkValue(type, text);
  const options = {
    ...startOptions(body),
    ...traceparentIn(request),
    ...(await keyOptions(context, namespace, request, body, place)),
  };
  return { namespace, type, payload: text, checked: converted, options };
}

/** Whoever has the workflow's own schema has checked the rest. */
function checkValue(type: string, text: string): void {
  const issue = valueIssue(text);
  if (issue !== null) throw new EngineError("InvalidInput", `${type}: input is not a value: ${issue}`);
}

async function keyOptions(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
  body: StartRunBody,
  place: number | null,
): Promise<Pick<StartRunOptions, "id" | "idempotencyKey">> {
  const { id, idempotencyKey: own, debounce, deduplicate } = body;
  const given = idempotencyKey(request);
  if (given === null) return {};
  const key = place === null ? given : `${given}/${place}`;
  if (own !== undefined && own !== key && place === null) {
    throw new Refused(
      "InvalidMessage",
      "The header idempotency-key and the idempotencyKey of the run are not the same",
    );
  }
  if (own !== undefined || (id !== undefined && place !== null)) return {};
  // Such a run has a key of its own, and no second.
  if (debounce === undefined && deduplicate === undefined) return { idempotencyKey: key };
  return id === undefined ? { id: await idUnder(context, namespace, request, key, body) } : {};
}

/** The header that is none is passed over, as W3C wants it. */
export function traceparentIn({ headers }: FastifyRequest): { readonly traceparent?: string } {
  const { traceparent } = headers;
  return typeof traceparent === "string" && isTraceparent(traceparent) ? { traceparent } : {};
}

function startOptions(body: StartRunBody): StartRunOptions {
  const {
    type: _type,
    payload: _payload,
    converted: _converted,
    runAt,
    deadline,
    debounce,
    deduplicate,
    ttlMs,
    ...options
  } = body;
  return {
    ...options,
    ...(runAt === undefined ? {} : { runAt: new Date(runAt) }),
    ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
    ...(debounce === undefined
      ? {}
      : {
          debounce: {
            key: debounce.key,
            delay: debounce.delayMs,
            ...(debounce.maxMs === undefined ? {} : { max: debounce.maxMs }),
          },
        }),
    ...(deduplicate === undefined ? {} : { deduplicate: { key: deduplicate.key, for: deduplicate.forMs } }),
    ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
  };
}
