import { FollowEvents, FollowRun, ResumedByHeader, RunPath } from "@cairnjs/schemas/rest";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chunkSource, hasMoreChunks } from "../../live/chunk-source.ts";
import type { LiveSource } from "../../live/live-source.ts";
import { END_MARK, EventStream } from "../live/event-stream.ts";
import type { LiveKind } from "../live/live-clients.ts";
import { followEvents, followRun, hasMoreOfRun } from "../live/sources.ts";
import { foundRun } from "../found-run.ts";
import type { RunSummaryView } from "../../store/find-runs.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { z } from "zod";

/** Of a stream nothing is checked; this is what the document says of it. */
const STREAMED = { headers: ResumedByHeader, response: { 200: z.string() } };
const OF_RUN = { params: RunPath, querystring: FollowRun, ...STREAMED, response: { 200: z.string(), 204: z.null() } };

/** Who asks for the head alone would have no end of it. */
const STREAM = { config: { scope: "read" as const }, exposeHeadRoute: false };

/** What happens, as it happens: server-sent events. */
export function addLiveRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  app.get("/runs/:id/stream", { ...STREAM, schema: OF_RUN }, async (request, reply) => {
    const run = await foundRun(context, request);
    const after = afterOf(request);
    if (hasSeenEnd(request, run) && !(await hasMoreOfRun(engine, run, after))) return reply.code(204).send(null);
    return answer(context, request, reply, "run", () => followRun(engine, run, after));
  });
  app.get("/runs/:id/chunks", { ...STREAM, schema: OF_RUN }, async (request, reply) => {
    const run = await foundRun(context, request);
    const { id, namespace } = run;
    const after = afterOf(request);
    if (hasSeenEnd(request, run) && !(await hasMoreChunks(engine, id, after))) return reply.code(204).send(null);
    const open = async (): Promise<LiveSource> => chunkSource(engine, namespace, id, after);
    return answer(context, request, reply, "chunks", open);
  });
  app.get(
    "/events/stream",
    { ...STREAM, schema: { querystring: FollowEvents, ...STREAMED } },
    async (request, reply) => {
      const namespace = namespaceOf(request);
      const { namespace: _namespace, after: _after, kind, ...filter } = request.query;
      const wanted = { namespace, ...filter, ...(kind === undefined ? {} : { kinds: kind }) };
      return answer(context, request, reply, "events", () => followEvents(engine, wanted, afterOf(request)));
    },
  );
}

/** Browsers that come back say by a header what they saw last, and keep the query. */
function seenOf(request: FastifyRequest): string {
  const seen = request.headers["last-event-id"];
  if (typeof seen === "string" && seen !== "") return seen;
  return (request.query as { readonly after?: string }).after ?? "";
}

function afterOf(request: FastifyRequest): string | null {
  const seen = seenOf(request);
  return (seen.endsWith(END_MARK) ? seen.slice(0, -END_MARK.length) : seen) || null;
}

/**
 * Browsers come back after an end, too, until they are told by 204 that there is nothing more. A run that was taken back, or lives again, goes on;
 * and something may have come behind the end that was told.
 */
function hasSeenEnd(request: FastifyRequest, { endedAt, deletedAt }: RunSummaryView): boolean {
  return (endedAt !== null || deletedAt !== null) && seenOf(request).endsWith(END_MARK);
}

async function answer(
  { clients, warn }: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: LiveKind,
  open: () => Promise<LiveSource>,
): Promise<FastifyReply> {
  let stream: EventStream | null = null;
  const leave = clients.enter(request.caller, kind, (reason) => stream?.giveUp(reason));
  try {
    stream = new EventStream({ source: await open(), clients, warn });
  } catch (error) {
    leave();
    throw error;
  }
  stream.leaving(leave);
  const opened = stream;
  // Whatever becomes of the answer, and whether or not anything of the stream was sent.
  reply.raw.once("close", () => opened.destroy());
  if (request.raw.socket.destroyed) stream.destroy();
  return reply
    .type("text/event-stream; charset=utf-8")
    .headers({ "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" })
    .send(stream);
}
