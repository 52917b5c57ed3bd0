import { type Context, ROOT_CONTEXT, type Span, type SpanContext, trace, type Tracer } from "@opentelemetry/api";
import { flagsOf, spanIdOf, traceIdOf } from "./trace-ids.ts";

/** What OpenTelemetry knows us as. Without an SDK in the process it makes nothing. */
export const tracer: Tracer = trace.getTracer("cairn");

/** What happens in this context is part of the span, which another process may have. */
export function within(traceparent: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(traceparent),
    spanId: spanIdOf(traceparent),
    traceFlags: flagsOf(traceparent),
    isRemote: true,
  });
}

/** Null: nobody traces it. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string | null {
  if (!trace.isSpanContextValid({ traceId, spanId, traceFlags })) return null;
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? "01" : "00"}`;
}

/**
 * Gives a span that was just begun the id that it is known by. The API draws ids by chance; whoever exports a span, or begins one
 * inside of it, asks it by this method who it is.
 */
export function identify(span: Span, spanId: string): void {
  if (!span.isRecording()) return;
  const own = { ...span.spanContext(), spanId };
  Object.defineProperty(span, "spanContext", { value: () => own });
}
