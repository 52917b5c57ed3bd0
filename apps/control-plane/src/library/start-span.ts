import { context, type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { traceparentOf, tracer, within } from "@cairnjs/worker/host";

/** Where a run to be started belongs: the type, and who asks. */
export interface StartingRun {
  readonly namespace: string;
  readonly type: string;
  /** What whoever asks is doing, if that was said; else what is going on here. */
  readonly traceparent: string | undefined;
}

/**
 * The start of a run, in the trace of whoever asks for it. The sampler of this process's SDK says here whether the run is traced;
 * without an SDK, what was said is passed on.
 */
export class StartSpan {
  readonly #span: Span;

  constructor({ namespace, type, traceparent }: StartingRun) {
    const parent = traceparent === undefined ? context.active() : within(traceparent);
    const attributes = { "cairn.namespace": namespace, "cairn.run.type": type };
    this.#span = tracer.startSpan(`start ${type}`, { kind: SpanKind.PRODUCER, attributes }, parent);
  }

  /** What the run's own span is a child of; null: nobody traces it. */
  get traceparent(): string | null {
    return traceparentOf(this.#span.spanContext());
  }

  started(runId: string, existed: boolean): void {
    if (this.#span.isRecording()) this.#span.setAttributes({ "cairn.run.id": runId, "cairn.run.existed": existed });
    this.#span.end();
  }

  failed(error: unknown): void {
    this.#span.setStatus({
      code: SpanStatusCode.ERROR,
      message: error instanceof Error ? error.message : String(error),
    });
    this.#span.end();
  }
}
