import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Attributes, context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  type ReadableSpan,
  SamplingDecision,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";

export interface ToldSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | null;
  readonly name: string;
  readonly attributes: Attributes;
}

/** An SDK in this process, which keeps what it is told. What has an attribute `unwanted` is not sampled. */
export class TestTracing {
  readonly #exporter = new InMemorySpanExporter();

  constructor() {
    const root = {
      shouldSample: (_context: unknown, _traceId: string, name: string) => ({
        decision: name === "unwanted" ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
      }),
    };
    const spanProcessors = [new SimpleSpanProcessor(this.#exporter)];
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ sampler: new ParentBasedSampler({ root }), spanProcessors }),
    );
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  }

  get finished(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** Those of a trace. */
  of(traceId: string): ToldSpan[] {
    return this.finished.map(told).filter((span) => span.traceId === traceId);
  }
}

function told(span: ReadableSpan): ToldSpan {
  const { traceId, spanId } = span.spanContext();
  const { name, attributes, parentSpanContext } = span;
  return { traceId, spanId, parent: parentSpanContext?.spanId ?? null, name, attributes };
}

/** One tree, by names, with those below in the order of their names and tries. Throws if there are others. */
export function treeOf(spans: readonly ToldSpan[]): unknown {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  if (ids.size < spans.length) throw new Error("Two spans have one id");
  const roots = spans.filter(({ parent }) => parent === null || !ids.has(parent));
  if (roots.length !== 1)
    throw new Error(`There are ${roots.length} roots: ${roots.map(({ name }) => name).join(", ")}`);
  const labelOf = ({ name, attributes }: ToldSpan): string =>
    attributes["cairn.action"] === undefined
      ? name
      : `${name} ${attributes["cairn.attempt"]} ${attributes["cairn.outcome"]}`;
  const branch = (span: ToldSpan): unknown => {
    const below = spans.filter(({ parent }) => parent === span.spanId).map(branch);
    const label = labelOf(span);
    return below.length === 0 ? label : { [label]: below.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) };
  };
  return branch(roots[0]!);
}

function text(branch: unknown): string {
  return typeof branch === "string" ? branch : Object.keys(branch as object)[0]!;
}

const COMMAND = fileURLToPath(new URL("../../../../packages/worker/bin/cairn-worker.js", import.meta.url));
const SDK = new URL("../tracing/exporting-sdk.mjs", import.meta.url).href;
const MODULE = fileURLToPath(new URL("../workflows/traced.ts", import.meta.url));

/** `cairn-worker` in a process of its own, with an SDK of its own, and the spans it has told. */
export function tracedWorker(
  port: number,
  env: Readonly<Record<string, string>> = {},
): {
  readonly spans: ToldSpan[];
  readonly gone: Promise<void>;
} {
  const child: ChildProcess = spawn(process.execPath, ["--import", SDK, COMMAND], {
    env: {
      ...process.env,
      CONTROL_PLANE_GRPC_URL: `127.0.0.1:${port}`,
      CAIRN_TYPE_PREFIXES: "traced.",
      // As a module too, so that threads have it.
      CAIRN_MODULES: `${fileURLToPath(SDK)},${MODULE}`,
      ...env,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const spans: ToldSpan[] = [];
  let rest = "";
  child.stdout!.on("data", (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split("\n");
    rest = lines.pop()!;
    for (const line of lines) spans.push(JSON.parse(line) as ToldSpan);
  });
  return { spans, gone: new Promise((resolve) => child.on("close", () => resolve())) };
}
