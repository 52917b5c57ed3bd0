import { registerRequestToProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import {
  ask,
  clientMethods,
  connectTo,
  RawWorker,
  registerFlows,
  startRun,
  startRuns,
} from "../support/test-worker.ts";

async function planeWithJobs(options = {}) {
  const bed = await testBed();
  const plane = await openPlane(bed, options);
  const client = connectTo(plane.port);
  const actions = [action("billing.refund"), action("billing.other"), action("media.encode")];
  await ask(client, clientMethods.register, registerRequestToProto({ namespace: "default", workflows: [], actions }));
  return { bed, plane, client };
}

it("I12: a job is claimed where workers serve its segment, and waits elsewhere, saying for what", async () => {
  const { bed, plane, client } = await planeWithJobs({ workerHeartbeatMs: 100 });
  await new RawWorker(plane.port, { prefixes: ["media."], actions: [action("media.encode")] }).open(50);
  const id = await startRun(client, "billing.refund", { order: 7 });
  const row = await untilRun(bed, id, ({ phase }) => phase === "waiting");
  expect(row).toMatchObject({ status: "pending", waiting_for: "a worker for billing." });
  const [queued] = await bed.query("SELECT state, pool FROM cairn.queue WHERE run_id = $1", id);
  expect(queued).toEqual({ state: "ready", pool: "default:billing" });
  const worker = await new RawWorker(plane.port, {
    prefixes: ["billing."],
    actions: [action("billing.refund")],
    answer: () => '"refunded"',
  }).open();
  expect(await untilRun(bed, id, ({ status }) => status === "succeeded")).toMatchObject({ result: "refunded" });
  expect(worker.calls).toMatchObject([
    { action: "billing.refund", type: "billing.refund", args: { json: '[{"order":7}]' } },
  ]);
});

it("I12: no more jobs are claimed than twice what workers may run", async () => {
  const { bed, plane, client } = await planeWithJobs();
  const worker = await new RawWorker(plane.port, { prefixes: ["billing."], actions: [action("billing.refund")] }).open(
    5,
  );
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  await startRuns(
    client,
    Array.from({ length: 100 }, (_, order) => ({ type: "billing.refund", input: order })),
  );
  await worker.call(4);
  const held = (): Promise<number> =>
    bed.query("SELECT FROM cairn.queue WHERE state = 'held'").then((rows) => rows.length);
  await until(async () => (await held()) === 10);
  await until(async () => worker.frames.at(-1)?.backlog?.calls === 5);
  for (const call of worker.calls.slice(0, 5)) worker.answer(call, "1");
  worker.credit(95);
  await worker.call(99);
  expect(await held()).toBeLessThanOrEqual(100);
});

it("I12: several runloops divide that among themselves, and whichever has jobs comes to all of it", async () => {
  const leases = { "media.encode": 90_000 };
  const { bed, plane, client } = await planeWithJobs({ runloops: 2, leases });
  const actions = [action("billing.refund"), action("media.encode")];
  const worker = await new RawWorker(plane.port, { prefixes: ["billing.", "media."], actions }).open(30);
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  await startRuns(
    client,
    Array.from({ length: 300 }, (_, order) => ({ type: "billing.refund", input: order })),
  );
  await worker.call(29);
  const held = (): Promise<number> =>
    bed.query("SELECT FROM cairn.queue WHERE state = 'held'").then((rows) => rows.length);
  await until(async () => (await held()) >= 60);
  await until(async () => (worker.frames.at(-1)?.backlog?.calls ?? 0) >= 30);
  // Told of all of it each, they held 120. One may claim again before the calls of another have come.
  expect(await held()).toBeLessThanOrEqual(90 + 3);
});

it("a job whose action all workers of its prefix lack fails with exactly no_handler_registered", async () => {
  const { bed, plane, client } = await planeWithJobs({ noHandlerGraceMs: 100 });
  await new RawWorker(plane.port, { prefixes: ["billing."], actions: [action("billing.refund")] }).open();
  const id = await startRun(client, "billing.other", 1);
  expect(await untilRun(bed, id, ({ status }) => status === "failed")).toMatchObject({
    last_error: "no_handler_registered",
  });
  expect(await bed.query("SELECT FROM cairn.outbox_events WHERE run_id = $1", id)).toHaveLength(1);
});

it("a job that fails is tried again as its outcome says, and its attempts are counted", async () => {
  const { bed, plane, client } = await planeWithJobs();
  const worker = await new RawWorker(plane.port, {
    prefixes: ["billing."],
    actions: [action("billing.refund")],
  }).open();
  const id = await startRun(client, "billing.refund", 1);
  const { incarnation, runId, call, attempt } = await worker.call();
  const value = { json: JSON.stringify({ $error: { names: ["Error"], message: "busy" } }) };
  const retry = { attempts: 2, baseMs: 1, capMs: 1 };
  worker.say({ outcomes: [{ incarnation, runId, call, attempt, kind: "error", value, retry, durationMs: 1 }] });
  const again = await worker.call(1);
  expect(again).toMatchObject({ runId: id, call, attempt: 2 });
  worker.answer(again, "1");
  await untilRun(bed, id, ({ status }) => status === "succeeded");
  const [run] = await bed.query("SELECT attempt FROM cairn.runs WHERE id = $1", id);
  expect(run).toEqual({ attempt: 2 });
});

it("I12: jobs that are claimed and have no call to make take no room from others", async () => {
  const { bed, plane, client } = await planeWithJobs();
  const worker = await new RawWorker(plane.port, {
    prefixes: ["billing."],
    actions: [action("billing.refund")],
  }).open(1);
  const value = { json: JSON.stringify({ $error: { names: ["Error"], message: "busy" } }) };
  const retry = { attempts: 2, baseMs: 60_000, capMs: 60_000 };
  const waiting: string[] = [];
  for (let n = 0; n < 4; n++) {
    const id = await startRun(client, "billing.refund", n);
    const { incarnation, runId, call, attempt } = await worker.call(n);
    worker.say({ outcomes: [{ incarnation, runId, call, attempt, kind: "error", value, retry, durationMs: 1 }] });
    worker.credit(1);
    await untilRun(bed, id, ({ waiting_for }) => waiting_for === "the next try of billing.refund");
    waiting.push(id);
  }
  await bed.query("SELECT cairn.cancel_run(id, 'not wanted') FROM unnest($1::uuid[]) AS id", waiting);
  for (const id of waiting) await untilRun(bed, id, ({ status }) => status === "cancelled");
  const last = await startRun(client, "billing.refund", 5);
  expect(await worker.call(4)).toMatchObject({ runId: last });
});

it("a name is that of a workflow or of an action, and not of both", async () => {
  const { client } = await planeWithJobs();
  await registerFlows(client);
  const clash = registerRequestToProto({ namespace: "default", workflows: [], actions: [action("remote.paying")] });
  await expect(ask(client, clientMethods.register, clash)).rejects.toMatchObject({ code: "VersionConflict" });
});
