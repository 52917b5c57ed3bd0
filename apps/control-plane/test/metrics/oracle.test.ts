import { registerRequestToProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { scrape } from "../support/scrape.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import { ask, clientMethods, connectTo, RawWorker, startRun } from "../support/test-worker.ts";
import { parent } from "../workflows/traced.ts";

const rank = (sorted: readonly number[], part: number): number => sorted[Math.ceil(sorted.length * part) - 1]!;

it("what is measured of a control plane and its worker is what they have done", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, {
    listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" },
    workerHeartbeatMs: 100,
  });
  const client = connectTo(plane.port);
  const actions = [action("remote.charge"), action("remote.slow")];
  await ask(client, clientMethods.register, registerRequestToProto({ namespace: "default", workflows: [], actions }));
  const worker = new RawWorker(plane.port, { workerId: "w-1", actions });
  const took: number[] = [];
  // Each third try of a call fails, and is made again at once.
  worker.heard = ({ dispatches = [] }) => {
    for (const { incarnation, runId, call, attempt, action: name } of dispatches) {
      const durationMs = 7 * took.length + (name === "remote.slow" ? 1_000 : 0);
      took.push(durationMs);
      const ref = { incarnation, runId, call, attempt };
      const isFailing = took.length % 3 === 0 && attempt < 3;
      worker.say({
        outcomes: [
          isFailing
            ? {
                ...ref,
                kind: "error",
                value: { json: '"no"' },
                retry: { attempts: 3, baseMs: 1, capMs: 1 },
                durationMs,
              }
            : { ...ref, kind: "result", value: { json: "1" }, retry: null, durationMs },
        ],
      });
    }
    worker.say({ credits: { received: worker.calls.length, free: 100 } });
  };
  await worker.open(100);
  for (let n = 0; n < 40; n++) await startRun(client, n % 2 === 0 ? "remote.charge" : "remote.slow", n);
  await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
  const [counted] = await bed.query<Record<string, number>>(`SELECT
    (SELECT count(*)::int FROM cairn.history) AS inputs,
    (SELECT count(*)::int FROM cairn.step_attempts WHERE outcome = 'succeeded') AS succeeded,
    (SELECT count(*)::int FROM cairn.failed_attempts WHERE outcome = 'failed') AS failed,
    (SELECT count(*)::int FROM cairn.failed_attempts WHERE retry_at IS NOT NULL) AS retried`);
  const seen = await scrape(plane.httpPort);
  for (const type of ["remote.charge", "remote.slow"]) {
    expect(seen.get(`cairn_runs_started_total{type="${type}"}`)).toBe(20);
    expect(seen.get(`cairn_runs_ended_total{type="${type}",status="succeeded"}`)).toBe(20);
  }
  expect(counted!["failed"]).toBeGreaterThan(5);
  expect(seen.get("cairn_inputs_total")).toBe(counted!["inputs"]);
  expect(seen.get('cairn_attempts_total{outcome="succeeded"}')).toBe(counted!["succeeded"]);
  expect(seen.get('cairn_attempts_total{outcome="failed"}')).toBe(counted!["failed"]);
  expect(seen.get("cairn_attempt_retries_total")).toBe(counted!["retried"]);
  expect(seen.get("cairn_commit_transitions_sum")).toBe(seen.get("cairn_transitions_total"));
  expect(seen.get("cairn_commit_transitions_count")).toBe(seen.get("cairn_commit_seconds_count"));
  expect(seen.get("cairn_dispatch_seconds_count")).toBe(took.length);
  const ofAction = ["charge", "slow"].flatMap((name) =>
    ["result", "error"].map((outcome) =>
      ["count", "sum"].map((what) => {
        return seen.get(`cairn_action_seconds_${what}{action="remote.${name}",outcome="${outcome}"}`) ?? 0;
      }),
    ),
  );
  expect(ofAction.reduce((all, [count]) => all + count!, 0)).toBe(took.length);
  expect(ofAction.reduce((all, [, sum]) => all + sum!, 0)).toBeCloseTo(took.reduce((a, b) => a + b, 0) / 1_000, 5);
  expect(seen.get("cairn_database_up")).toBe(1);
  expect(Math.abs(seen.get("cairn_clock_skew_seconds")!)).toBeLessThan(1);
  const [status] = await until(async () => {
    const rows = await bed.query<{ completed: string }>("SELECT *, completed::int FROM cairn.worker_status");
    return Number(rows[0]?.completed) === took.length && rows;
  });
  const sorted = took.toSorted((a, b) => a - b);
  expect(status).toMatchObject({
    pool: plane.id,
    worker: "w-1",
    in_flight: 0,
    queue_depth: 0,
    latency_p50_ms: rank(sorted, 0.5),
    latency_p95_ms: rank(sorted, 0.95),
    latency_p99_ms: rank(sorted, 0.99),
  });
});

it("a process in library mode says of itself what workers say", async () => {
  const bed = await testBed();
  const cairn = await bed.open({ heartbeatMs: 200, concurrency: 3 });
  await Promise.all(Array.from({ length: 10 }, async (_, n) => (await cairn.start(parent, n)).result()));
  const tries = (await bed.query("SELECT FROM cairn.step_attempts")).length;
  const [status] = await until(async () => {
    const rows = await bed.query<{ completed: number }>(
      "SELECT capacity, in_flight, queue_depth, latency_p50_ms, completed::int, last_seen > connected_at AS seen FROM cairn.worker_status",
    );
    return rows[0]?.completed === tries && rows;
  });
  expect(status).toMatchObject({
    capacity: 3,
    in_flight: 0,
    queue_depth: 0,
    latency_p50_ms: expect.any(Number),
    seen: true,
  });
});

it("a pool is told as unserved while jobs wait in it and nobody serves it", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, {
    listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" },
    workerHeartbeatMs: 100,
  });
  const client = connectTo(plane.port);
  const actions = [action("media.encode")];
  await ask(client, clientMethods.register, registerRequestToProto({ namespace: "default", workflows: [], actions }));
  await startRun(client, "media.encode", 1);
  await until(async () => (await scrape(plane.httpPort)).get('cairn_pool_unserved{pool="default:media"}') === 1);
  expect((await scrape(plane.httpPort)).get('cairn_queue_ready{pool="default:media"}')).toBe(1);
  await new RawWorker(plane.port, { prefixes: ["media."], actions, answer: () => "1" }).open(7);
  await until(async () => !(await scrape(plane.httpPort)).has('cairn_pool_unserved{pool="default:media"}'));
});
