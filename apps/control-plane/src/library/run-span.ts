import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { identify, runSpanId, tracer, within } from "@cairnjs/worker/host";
import type { EndedRun } from "../runloop/outside.ts";

/**
 * Tells of a run as one span, from its beginning to its end. It is told when the end is committed, by whoever has committed it: no
 * span lives across processes. Its tries and children have named it as their parent long before.
 */
export function tellRunSpan({ runId, type, status, traced }: EndedRun): void {
  if (traced === null) return;
  const { traceparent, namespace, version, attempt, startedAt, endedAt, error } = traced;
  const attributes = {
    "cairn.namespace": namespace,
    "cairn.run.id": runId,
    "cairn.run.type": type,
    "cairn.run.version": version,
    "cairn.run.status": status,
    "cairn.attempt": attempt,
  };
  const options = { kind: SpanKind.INTERNAL, startTime: startedAt, attributes };
  const span = tracer.startSpan(`run ${type}`, options, within(traceparent));
  identify(span, runSpanId(runId));
  if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(endedAt);
}
