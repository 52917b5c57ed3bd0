import { isRunId } from "../ids.ts";
import type { Engine } from "./engine.ts";
import { type RunContext, RunHandle } from "./run-handle.ts";

/** What a handle on a run of a namespace needs of the engine. */
export function runContext(engine: Engine, namespace: string): RunContext {
  const { client, programs, blobs, waiters, chunks, codec } = engine;
  const [now, tell] = [() => engine.now(), engine.tell.bind(engine)];
  return { client, programs, blobs, namespace, waiters, chunks, codec, now, tell };
}

/** Whether there is such a run is found when it is asked for something. */
export function runOf(engine: Engine, namespace: string, id: string): RunHandle {
  return new RunHandle(isRunId(id) ? id.toLowerCase() : id, runContext(engine, namespace));
}
