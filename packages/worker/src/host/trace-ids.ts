import { createHash } from "node:crypto";
import type { TryId } from "./calls.ts";

/**
 * Where runs and tries stand in a trace. Ids of spans are functions of what the spans are about: whoever tells of a run or of a
 * try, in whichever process and after however many crashes, tells of the same span, and others can name it before it has ended.
 */

/** `00-` and the trace's id of 32 digits, with the hyphen behind. */
const TRACE_END = 36;
/** With the span's id of 16 digits. */
const SPAN_END = 52;

/** The half of a run's id that is drawn, or a hash. */
export function runSpanId(runId: string): string {
  return runId.slice(19, 23) + runId.slice(24);
}

export function attemptSpanId({ runId, call, attempt }: TryId): string {
  return createHash("sha256").update(`${runId}/${call}/${attempt}`).digest("hex").slice(0, 16);
}

/** The span of a run, by that of whoever has started it. */
export function runTraceparent(startedBy: string, runId: string): string {
  return withSpan(startedBy, runSpanId(runId));
}

/** Another span of the same trace. */
export function withSpan(traceparent: string, spanId: string): string {
  return traceparent.slice(0, TRACE_END) + spanId + traceparent.slice(SPAN_END);
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, TRACE_END - 1);
}

export function spanIdOf(traceparent: string): string {
  return traceparent.slice(TRACE_END, SPAN_END);
}

export function flagsOf(traceparent: string): number {
  return Number.parseInt(traceparent.slice(SPAN_END + 1), 16);
}
