import type { ServerWritableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { pb, watchChunksRequestFromProto } from "@cairnjs/protocol";
import { requireRun } from "../library/require-run.ts";
import type { Engine } from "../library/engine.ts";
import { type RunChunk, streamOf } from "../library/run-stream.ts";

export type WatchCall = ServerWritableStream<pb.WatchChunksRequest, pb.WatchChunksResponse>;

/** Sends what a run streams, as fast as it is taken. Resolves when it has ended, or nobody is there any more. */
export async function watchChunks(
  call: WatchCall,
  { client, waiters, chunks: feed }: Pick<Engine, "client" | "waiters" | "chunks">,
  check: (namespace: string) => void,
): Promise<void> {
  const gone = new AbortController();
  for (const event of ["cancelled", "close", "error"]) call.on(event, () => gone.abort());
  const { namespace, runId, after } = watchChunksRequestFromProto(call.request);
  check(namespace);
  await requireRun(client, namespace, runId);
  const ended = (signal: AbortSignal): Promise<unknown> => waiters.wait(namespace, runId, signal);
  const options = { signal: gone.signal, ...(after === null ? {} : { after }) };
  try {
    // Values go on as they are.
    for await (const chunk of streamOf({ feed, runId, ended, decode: (text) => text }, options)) {
      if (call.write(messageOf(chunk))) continue;
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          call.off("drain", goOn);
          gone.signal.removeEventListener("abort", goOn);
          resolve();
        };
        call.on("drain", goOn);
        gone.signal.addEventListener("abort", goOn);
      });
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function messageOf({ call, attempt, number, value, at, cursor }: RunChunk): pb.WatchChunksResponse {
  const atMs = BigInt(at.getTime());
  return create(pb.WatchChunksResponseSchema, { call, attempt, number, json: value as string, atMs, cursor });
}
