import type { ServerWritableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { pb, watchChunksRequestFromProto } from "@cairnjs/protocol";
import { requireRun } from "../library/require-run.ts";
import type { Engine } from "../library/engine.ts";
import type { Refused } from "../hub/refused.ts";
import { type RunChunk, streamOf } from "../library/run-stream.ts";
import { drained } from "./drained.ts";
import type { StayingCaller } from "./staying-caller.ts";

export type WatchCall = ServerWritableStream<pb.WatchChunksRequest, pb.WatchChunksResponse>;

type WatchedEngine = Pick<Engine, "client" | "waiters" | "chunks">;

/** Sends what a run streams, as fast as it is taken. Resolves when it has ended, or nobody is there any more. */
export async function watchChunks(
  call: WatchCall,
  engine: WatchedEngine,
  { check, watch }: StayingCaller,
): Promise<void> {
  const gone = new AbortController();
  for (const event of ["cancelled", "close", "error"]) call.on(event, () => gone.abort());
  let over: Refused | null = null as Refused | null;
  const unwatch = watch((why) => {
    over = why;
    gone.abort();
  });
  try {
    await send(call, engine, check, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    unwatch();
  }
  if (over !== null) throw over;
}

async function send(
  call: WatchCall,
  { client, waiters, chunks: feed }: WatchedEngine,
  check: StayingCaller["check"],
  gone: AbortSignal,
): Promise<void> {
  const { namespace, runId, after } = watchChunksRequestFromProto(call.request);
  check(namespace);
  await requireRun(client, namespace, runId);
  const ended = (signal: AbortSignal): Promise<unknown> => waiters.wait(namespace, runId, signal);
  const options = { signal: gone, ...(after === null ? {} : { after }) };
  // Values go on as they are.
  for await (const chunk of streamOf({ feed, runId, ended, decode: (text) => text }, options)) {
    if (call.write(messageOf(chunk))) continue;
    await drained(call, gone);
  }
}

function messageOf({ call, attempt, number, value, at, cursor }: RunChunk): pb.WatchChunksResponse {
  const atMs = BigInt(at.getTime());
  return create(pb.WatchChunksResponseSchema, { call, attempt, number, json: value as string, atMs, cursor });
}
