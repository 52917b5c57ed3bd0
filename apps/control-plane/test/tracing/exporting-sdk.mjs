// What a user's process has: an SDK of OpenTelemetry. It says each span that ends as a line of JSON.
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { writeSync } from "node:fs";

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const { name, attributes, parentSpanContext } = span;
      // At once: the process may be killed.
      writeSync(
        1,
        `${JSON.stringify({ traceId, spanId, parent: parentSpanContext?.spanId ?? null, name, attributes })}\n`,
      );
    }
    done({ code: 0 });
  },
  async shutdown() {},
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
