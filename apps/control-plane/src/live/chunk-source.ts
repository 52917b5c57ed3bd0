import type { LiveChunk } from "@cairnjs/schemas/rest";
import { EngineError } from "../library/engine-error.ts";
import type { Engine } from "../library/engine.ts";
import { positionsIn, streamOf } from "../library/run-stream.ts";
import { hasUnseenChunks } from "../store/stream-chunks.ts";
import { StoredJson, writtenWith } from "../stored-json.ts";
import { dropped, type LiveSource } from "./live-source.ts";

/** What the actions of a run give to `stream()`. Throws if `after` is no cursor of it. */
export function chunkSource(engine: Engine, namespace: string, runId: string, after: string | null): LiveSource {
  if (after !== null) positionsIn(after, runId);
  const left = new AbortController();
  const { chunks: feed, waiters } = engine;
  const ended = (signal: AbortSignal): Promise<unknown> => waiters.wait(namespace, runId, signal);
  const options = { signal: left.signal, ...(after === null ? {} : { after }) };
  const stream = streamOf({ feed, runId, ended, decode: (text) => new StoredJson(text) }, options);
  let last = after;
  return {
    next: async () => {
      try {
        const { done, value: chunk } = await stream.next();
        if (done === true) return { kind: "end" };
        const { call, attempt, number, value, at } = chunk;
        last = chunk.cursor;
        const told: LiveChunk = { call, attempt, number, value, at: at.toISOString() };
        return { kind: "items", items: [{ cursor: last, text: writtenWith(() => JSON.stringify(told)) }] };
      } catch (error) {
        if (left.signal.aborted || (error instanceof EngineError && error.code === "Closed")) return dropped("closing");
        throw error;
      }
    },
    get cursor() {
      return last;
    },
    close: () => {
      left.abort();
      void stream.return().catch(() => {});
    },
  };
}

/** Whether something is behind a cursor. */
export function hasMoreChunks({ client }: Engine, runId: string, after: string | null): Promise<boolean> {
  return hasUnseenChunks(client, { runId, seen: after === null ? [] : positionsIn(after, runId) });
}
