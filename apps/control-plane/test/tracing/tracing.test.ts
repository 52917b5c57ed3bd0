import { context, type Span, trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { TestTracing, treeOf } from "../support/test-tracing.ts";
import { spilling } from "../workflows/secretive.ts";
import { failing, parent, telling } from "../workflows/traced.ts";

const tracing = new TestTracing();

async function inSpan<T>(work: (span: Span) => Promise<T>, name = "caller"): Promise<T> {
  const span = trace.getTracer("test").startSpan(name);
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span));
  } finally {
    span.end();
  }
}

/** Once the run's own span is told, which is after its end is known. */
async function treeFrom(span: Span, roots = 1): Promise<unknown> {
  const { traceId } = span.spanContext();
  const spans = await until(async () => {
    const all = tracing.of(traceId);
    return all.filter(({ name }) => name.startsWith("run ")).length >= roots && all;
  });
  return treeOf(spans);
}

const STEADY = { "traced.steady.v1 1 result": ["user's own"] };

it("is one tree: whoever starts, the run, its tries with what they do, its children", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const caller = await inSpan(async (span) => {
    const run = await cairn.start(parent, 1);
    expect(await run.result()).toMatchObject({ n: 5 });
    return span;
  });
  expect(await treeFrom(caller, 2)).toEqual({
    caller: [
      {
        "start traced.parent.v1": [
          {
            "run traced.parent.v1": [
              { "run traced.child.v1": [STEADY] },
              "traced.falls.v1 1 result",
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
});

it("says of a run that failed why, and how long it took by the database's clock", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const caller = await inSpan(async (span) => {
    const run = await cairn.start(failing);
    await expect(run.result()).rejects.toThrow("it is wrong");
    return span;
  });
  await treeFrom(caller);
  const { traceId } = caller.spanContext();
  const run = tracing.finished.find((span) => span.spanContext().traceId === traceId && span.name.startsWith("run "))!;
  expect(run.status).toMatchObject({ code: 2, message: "TypeError: it is wrong" });
  expect(run.attributes).toMatchObject({ "cairn.run.status": "failed", "cairn.run.type": "traced.failing.v1" });
  const [row] = await bed.query<{ ms: number }>(
    "SELECT extract(epoch FROM ended_at - started_at)::float8 * 1000 AS ms FROM cairn.runs",
  );
  expect(run.duration[0] * 1_000 + run.duration[1] / 1e6).toBeCloseTo(row!.ms, 0);
});

it("gives handlers the context of their try: what they call is told where it belongs", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const { caller, told } = await inSpan(async (span) => {
    const run = await cairn.start(telling);
    return { caller: span, told: await run.result() };
  });
  await treeFrom(caller);
  const { traceId } = caller.spanContext();
  const attempt = tracing.of(traceId).find(({ name }) => name === "traced.told.v1")!;
  expect(told).toBe(`00-${traceId}-${attempt.spanId}-01`);
});

it("leaves alone what nobody samples, in handlers and children too", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const { caller, told } = await inSpan(async (span) => {
    await (await cairn.start(parent, 1)).result();
    const run = await cairn.start(telling);
    return { caller: span, told: await run.result() };
  }, "unwanted");
  const { traceId } = caller.spanContext();
  expect(tracing.of(traceId)).toEqual([]);
  expect(told).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
});

it("traces what a schedule starts, each run in a trace of its own", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  await cairn.schedules.upsert(telling, "often", { every: "1 minute" });
  await bed.advance(180_000);
  const runs = await until(async () => {
    const rows = await bed.query<{ id: string; traceparent: string }>(
      "SELECT id, traceparent FROM cairn.runs WHERE status = 'succeeded'",
    );
    return rows.length > 0 && rows;
  });
  for (const { id, traceparent } of runs) {
    const spans = await until(async () => {
      const all = tracing.of(traceparent.slice(3, 35));
      return all.length === 3 && all;
    });
    expect(treeOf(spans)).toEqual({
      "start traced.telling.v1": [{ "run traced.telling.v1": ["traced.told.v1 1 result"] }],
    });
    expect(spans.every(({ attributes }) => attributes["cairn.run.id"] === id)).toBe(true);
  }
});

it("tells of what a backfill starts, and not of due times that had their run", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const anchor = new Date(Date.now() - 3_600_000);
  await cairn.schedules.upsert(telling, "often", { every: "1 minute", anchor });
  await cairn.schedules.backfill(telling, "often", anchor, anchor);
  const later = new Date(anchor.getTime() + 60_000);
  const caller = await inSpan(async (span) => {
    expect(await cairn.schedules.backfill(telling, "often", anchor, later)).toBe(1);
    return span;
  });
  const [run] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE scheduled_for = $1", later);
  const starts = tracing.of(caller.spanContext().traceId).filter(({ name }) => name.startsWith("start "));
  expect(starts.map(({ attributes }) => attributes["cairn.run.id"])).toEqual([run!.id]);
});

it("a fork belongs to whoever forks, and not to the run that it comes from", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const run = await inSpan(() => cairn.start(telling), "unwanted");
  await run.result();
  const forker = await inSpan(async (span) => {
    await (await run.fork(1, { effects: "allowed" })).result();
    return span;
  }, "forker");
  // What its call returned is taken from the original.
  expect(await treeFrom(forker)).toEqual({ forker: [{ "start traced.telling.v1": ["run traced.telling.v1"] }] });
});

it("a fork that is refused is told of too", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const [run, other] = await Promise.all([cairn.start(telling), cairn.start(telling)]);
  await Promise.all([run.result(), other.result()]);
  const forker = await inSpan(async (span) => {
    await expect(run.fork(1, { id: other.id })).rejects.toMatchObject({ code: "IdConflict" });
    return span;
  }, "forker");
  expect(treeOf(tracing.of(forker.spanContext().traceId))).toEqual({ forker: ["start traced.telling.v1"] });
});

it("tells no secrets of a try that failed with them", async () => {
  const bed = await testBed();
  const cairn = await bed.open({
    secrets: { masterKey: "00".repeat(32) },
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  await cairn.secrets.set("smtp-password", "traced horse battery");
  await cairn.secrets.set("api.token", "traced-token");
  const caller = await inSpan(async (span) => {
    const run = await cairn.start(spilling, "ada");
    await expect(run.result()).rejects.toThrow("could not sign in");
    return span;
  });
  await treeFrom(caller);
  const spans = tracing.finished.map(({ name, status, attributes, events }) => ({ name, status, attributes, events }));
  const told = JSON.stringify(spans);
  expect(told).toContain("cannot sign in with ***");
  expect(told).not.toMatch(/traced horse battery|traced-token/);
});
