import type { FastifyReply, FastifyRequest } from "fastify";
import type { Refused } from "../hub/refused.ts";
import type { RestContext } from "./rest.ts";

/**
 * Waits for something, at most for so long, and only while whoever asks is there: `wait` is told when it is over. Throws `Refused` if he
 * may ask no more.
 */
export async function heldRequest(
  { access }: Pick<RestContext, "access">,
  request: FastifyRequest,
  reply: FastifyReply,
  waitMs: number,
  wait: (over: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), waitMs);
  reply.raw.once("close", () => over.abort());
  let refused = null as Refused | null;
  const unwatch = access.watch(request.caller, (why) => {
    refused = why;
    over.abort();
  });
  try {
    const silence = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([wait(over.signal), silence]);
  } finally {
    clearTimeout(timer);
    unwatch();
    over.abort();
  }
  if (refused !== null) throw refused;
}
