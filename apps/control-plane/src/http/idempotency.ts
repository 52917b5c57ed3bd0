import { WithIdempotencyKey } from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { Refused } from "../hub/refused.ts";
import { newRunId } from "../ids.ts";
import { anotherError } from "../library/engine-error.ts";
import { keyOfParts } from "../library/key-of-parts.ts";
import { giveId } from "../store/given-ids.ts";
import { digestOf } from "../store/mail.ts";
import type { RestContext } from "./rest.ts";

/** What the request is repeated under, if it says so. */
export function idempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? key : null;
}

/** Whoever gives a key counts on it when he asks again: where there is none, he is told so. `PUT` and `DELETE` are the same when they are done twice. */
export function checkKeyTaken(request: FastifyRequest): void {
  const { method, routeOptions } = request;
  if (method !== "POST" || idempotencyKey(request) === null || routeOptions.schema?.headers === WithIdempotencyKey)
    return;
  throw new Refused("InvalidMessage", "This takes no Idempotency-Key: asked for again, it is done again");
}

/** The same for the same key, request and namespace: a letter is sent under it once. */
export function letterKey(namespace: string, request: FastifyRequest, key: string): string {
  const { method, routeOptions, params } = request;
  return keyOfParts(namespace, method, routeOptions.url, params, key);
}

/** The id for the run, or the order, that the request makes, the same when it is repeated with what was said: ids have a time, so it is remembered. */
export async function idUnder(
  { engine }: RestContext,
  namespace: string,
  request: FastifyRequest,
  key: string,
  said: unknown,
  what = "A run",
): Promise<string> {
  const under = letterKey(namespace, request, key);
  const id = await giveId(engine.client, under, digestOf(said), newRunId(engine.now()));
  if (id === null) throw anotherError(what);
  return id;
}
