import { trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { TestTracing, tracedWorker, treeOf } from "../support/test-tracing.ts";

const tracing = new TestTracing();
const STEADY = { "traced.steady.v1 1 result": ["user's own"] };

it("is one tree over processes, one of which is killed: tries that were lost have no span, and no other one has theirs", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
  const first = tracedWorker(plane.port, { CAIRN_TEST_FALLS: "1" });
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  const caller = trace.getTracer("test").startSpan("caller");
  const { traceId, spanId } = caller.spanContext();
  const answer = await fetch(`http://127.0.0.1:${plane.httpPort}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${traceId}-${spanId}-01` },
    body: JSON.stringify({ type: "traced.parent.v1", payload: 1 }),
  });
  expect(answer.status).toBe(201);
  caller.end();
  await first.gone;
  const second = tracedWorker(plane.port);
  const here = await until(async () => {
    const all = tracing.of(traceId);
    return all.some(({ name }) => name === "run traced.parent.v1") && all;
  });
  expect(treeOf([...here, ...first.spans, ...second.spans])).toEqual({
    caller: [
      {
        "start traced.parent.v1": [
          {
            "run traced.parent.v1": [
              { "run traced.child.v1": [STEADY] },
              "traced.falls.v1 2 result",
              "traced.shaky.v1 1 error",
              "traced.shaky.v1 2 result",
              STEADY,
              "traced.thread.v1 1 result",
            ],
          },
        ],
      },
    ],
  });
  const inThread = first.spans.find(({ name }) => name === "traced.thread.v1")!;
  const [row] = await bed.query("SELECT result FROM cairn.runs WHERE type = 'traced.parent.v1'");
  expect(row).toEqual({ result: { n: 5, seen: `${traceId}-${inThread.spanId}` } });
  expect(new Set(first.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
});
