import { expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import { connectTo, RawWorker, registerActions, startOne, startRun, startRuns } from "../support/test-worker.ts";

const PER_TENANT = { limit: 1, key: { path: "0.tenant" } };

const waiting = async (bed: TestBed): Promise<number> =>
  (await bed.query("SELECT FROM cairn.limited_calls WHERE granted_at IS NULL")).length;

it("jobs of a key that is full keep neither those of another key nor those of another action waiting", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  const actions = [{ ...action("billing.slow"), concurrency: PER_TENANT }, action("billing.fast")];
  await registerActions(client, actions);
  const worker = await new RawWorker(plane.port, { prefixes: ["billing."], actions }).open(5);
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  const full = Array.from({ length: 300 }, (_, n) => ({ type: "billing.slow", input: { tenant: "a", n } }));
  await startRuns(client, full);
  const from = performance.now();
  await startRuns(client, [
    { type: "billing.slow", input: { tenant: "b" } },
    { type: "billing.fast", input: 1 },
  ]);
  await worker.call(2);
  // It was 17 s while they had to wait for those to leave memory, ten each second.
  expect(performance.now() - from).toBeLessThan(10_000);
  const sent = worker.calls.map((call) => [call.action, "json" in call.args ? call.args.json : null]);
  expect(sent).toEqual(
    expect.arrayContaining([
      ["billing.slow", '[{"tenant":"b"}]'],
      ["billing.fast", "[1]"],
    ]),
  );
});

it("a job that waits for its turn for longer than its ttl expires, and leaves its place", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  await registerActions(client, [{ ...action("remote.charge"), concurrency: { limit: 1, key: null } }]);
  const worker = await new RawWorker(plane.port, {}).open(20);
  const running = await startOne(client, { type: "remote.charge", input: 1, ttlMs: 600_000 });
  await worker.call(0);
  const late = await startOne(client, { type: "remote.charge", input: 2, ttlMs: 60_000 });
  await until(async () => (await waiting(bed)) === 1);
  await untilRun(bed, late.id, ({ phase }) => phase === "waiting");
  await bed.advance(61_000);
  const row = await untilRun(bed, late.id, ({ status }) => status === "cancelled");
  expect(row.last_error).toBe("Expired: The run did not begin in time");
  expect(await waiting(bed)).toBe(0);
  // One that has begun is not ended by it.
  await bed.advance(600_000);
  worker.answer(worker.calls[0]!, "1");
  await untilRun(bed, running.id, ({ status }) => status === "succeeded");
  expect(worker.calls).toHaveLength(1);
  const last = await startRun(client, "remote.charge", 3);
  await worker.call(1);
  expect(worker.calls[1]!.runId).toBe(last);
});

it("a job that waits for a worker for longer than its ttl expires", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  await registerActions(client, [action("remote.refund.v1")]);
  await new RawWorker(plane.port, { prefixes: ["remote.charge."] }).open(20);
  const late = await startOne(client, { type: "remote.refund.v1", input: 2, ttlMs: 60_000 });
  await untilRun(bed, late.id, ({ waiting_for: what }) => what === "a worker for remote.");
  await bed.advance(61_000);
  expect(await untilRun(bed, late.id, ({ status }) => status === "cancelled")).toMatchObject({
    last_error: "Expired: The run did not begin in time",
  });
});

it.each([
  ["", 3_600_000],
  [", also when its owner has lost it meanwhile", 30_000],
])("a job that waits for a busy worker for longer than its ttl expires, and is not sent%s", async (_, leaseMs) => {
  const bed = await testBed();
  const plane = await openPlane(bed, { leaseMs });
  const client = connectTo(plane.port);
  await registerActions(client, [action("remote.charge")]);
  const worker = await new RawWorker(plane.port, {}).open(1);
  const running = await startOne(client, { type: "remote.charge", input: 1, ttlMs: 60_000 });
  await worker.call(0);
  const late = await startOne(client, { type: "remote.charge", input: 2, ttlMs: 60_000 });
  await untilRun(bed, late.id, ({ status, phase }) => status === "leased" && phase === "running");
  await bed.advance(61_000);
  expect(await untilRun(bed, late.id, ({ status }) => status === "cancelled")).toMatchObject({
    last_error: "Expired: The run did not begin in time",
  });
  worker.credit(10);
  worker.answer(worker.calls[0]!, "1");
  await untilRun(bed, running.id, ({ status }) => status === "succeeded");
  const last = await startRun(client, "remote.charge", 3);
  expect((await worker.call(1)).runId).toBe(last);
});
