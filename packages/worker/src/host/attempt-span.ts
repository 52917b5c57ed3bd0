import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { AttemptOutcome } from "cairnjs/host";
import type { Dispatch } from "./calls.ts";
import { identify, tracer, within } from "./spans.ts";
import { attemptSpanId, withSpan } from "./trace-ids.ts";

/** One try of a call, in the trace of its run. */
export class AttemptSpan {
  /** In which its handler runs: what that begins is inside of the span. */
  readonly context: Context;
  readonly #span: Span;

  /** Null: nobody traces the run. */
  static begin(dispatch: Dispatch, worker: string): AttemptSpan | null {
    return dispatch.traceparent === null ? null : new AttemptSpan(dispatch, dispatch.traceparent, worker);
  }

  private constructor(dispatch: Dispatch, traceparent: string, worker: string) {
    const parent = within(traceparent);
    const { namespace, runId, type, call, attempt, action } = dispatch;
    const attributes = {
      "cairn.namespace": namespace,
      "cairn.run.id": runId,
      "cairn.run.type": type,
      "cairn.call": call,
      "cairn.action": action,
      "cairn.attempt": attempt,
      "cairn.worker": worker,
    };
    this.#span = tracer.startSpan(action, { kind: SpanKind.CONSUMER, attributes }, parent);
    identify(this.#span, attemptSpanId(dispatch));
    this.context = trace.setSpan(parent, this.#span);
  }

  end({ kind, value }: AttemptOutcome, isAborted: boolean): void {
    const span = this.#span;
    if (span.isRecording()) {
      span.setAttribute("cairn.outcome", isAborted ? "aborted" : kind);
      if (kind === "error") {
        const { name, message } = failureIn(value);
        span.recordException({ name, message });
        span.setStatus({ code: SpanStatusCode.ERROR, message: `${name}: ${message}` });
      }
    }
    span.end();
  }
}

/** In a thread, beside the span, which the main thread has. */
export function contextOf(dispatch: Dispatch): Context {
  const { traceparent } = dispatch;
  if (traceparent === null) return ROOT_CONTEXT;
  return within(withSpan(traceparent, attemptSpanId(dispatch)));
}

/** Anything may be thrown; most often it is an error. */
function failureIn(encoded: string): { readonly name: string; readonly message: string } {
  const thrown = JSON.parse(encoded) as { $error?: { names?: string[]; message?: string } } | null;
  const { names = [], message = "" } = thrown?.$error ?? { message: encoded };
  return { name: names[0] ?? "Error", message };
}
