import { context, propagation, trace } from "@opentelemetry/api";
import { action, currentCall, workflow } from "cairnjs";

/** What a request to another service would say of where it belongs. */
const told = action("traced.told.v1", async () => {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers["traceparent"] ?? null;
});

const steady = action("traced.steady.v1", async (n: number) =>
  trace.getTracer("user").startActiveSpan("user's own", async (span) => {
    await new Promise((resolve) => setImmediate(resolve));
    span.end();
    return n + 1;
  }),
);

const shaky = action("traced.shaky.v1", { retry: { attempts: 3, baseMs: 1 } }, async (n: number) => {
  if (currentCall().attempt === 1) throw new RangeError("the first try fails");
  return n * 2;
});

/** Takes its process with it, where that was asked for. */
const falls = action("traced.falls.v1", async (n: number) => {
  if (process.env["CAIRN_TEST_FALLS"] === "1") process.kill(process.pid, "SIGKILL");
  return n;
});

/** The span that it is part of, wherever it runs. */
const inThread = action("traced.thread.v1", { isolate: "thread" }, async () => {
  const span = trace.getSpanContext(context.active());
  return span === undefined ? null : `${span.traceId}-${span.spanId}`;
});

const child = workflow("traced.child.v1", async (n: number) => steady(n));

export const telling = workflow("traced.telling.v1", async () => told());

export const failing = workflow("traced.failing.v1", async () => {
  await steady(1);
  throw new TypeError("it is wrong");
});

export const parent = workflow("traced.parent.v1", async (n: number) => {
  const twice = await shaky(await steady(n));
  const seen = await inThread();
  return { n: await falls(await child(twice)), seen };
});
