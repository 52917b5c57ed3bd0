/** What runs actions in this process, for library mode and for workers. */
export { ActionHost, type ActionHostOptions } from "./action-host.ts";
export { ChunkStream, type NumberedChunk } from "./chunk-stream.ts";
export type { Logger } from "./log.ts";
export { CallQueue } from "./call-queue.ts";
export { identify, traceparentOf, tracer, within } from "./spans.ts";
export { runSpanId, runTraceparent } from "./trace-ids.ts";
export { taskOf } from "./task.ts";
export { callKey } from "./calls.ts";
export type { CallId, CallOutcome, Dispatch, TryId } from "./calls.ts";
