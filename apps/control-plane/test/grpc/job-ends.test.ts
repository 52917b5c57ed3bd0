import { expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import { connectTo, RawWorker, refOf, registerActions, startOne, startRun } from "../support/test-worker.ts";

async function billing() {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  const actions = [action("billing.refund"), action("billing.dead")];
  await registerActions(client, actions);
  const worker = await new RawWorker(plane.port, { prefixes: ["billing."], actions }).open(10);
  return { bed, client, worker, port: plane.port };
}

it.each([
  ["cancelled", "SELECT cairn.cancel_run($1)", "cancelled"],
  ["deleted", "SELECT cairn.delete_run($1)", "pending"],
])("a job that runs at a worker and is %s is cancelled there at once", async (_how, statement, status) => {
  const { bed, client, worker } = await billing();
  const id = await startRun(client, "billing.refund", 1);
  const call = await worker.call();
  await bed.query(statement, id);
  await until(async () => worker.cancels.length === 1);
  expect(worker.cancels).toMatchObject([refOf(call)]);
  await untilRun(bed, id, (row) => row.status === status);
});

it("a job that runs at a worker at its deadline is cancelled there, and fails", async () => {
  const { bed, client, worker } = await billing();
  const deadlineMs = Date.now() + 60_000;
  const late = await startOne(client, { type: "billing.refund", input: 3, deadlineMs });
  await worker.call();
  await bed.advance(61_000);
  await until(async () => worker.cancels.length === 1);
  const row = await untilRun(bed, late.id, ({ status }) => status === "failed");
  expect(row.last_error).toMatch(/^DeadlineExceeded/);
});

it("a job that fails for good at a worker is told of in its dead-letter type, which runs at a worker too", async () => {
  const { client, worker } = await billing();
  const dead = await startOne(client, { type: "billing.refund", input: 4, deadLetterType: "billing.dead" });
  const call = await worker.call();
  expect(call.runId).toBe(dead.id);
  const value = { json: JSON.stringify({ $error: { names: ["Error"], message: "busy" } }) };
  worker.say({ outcomes: [{ ...refOf(call), kind: "error", value, retry: null, durationMs: 1 }] });
  const letter = await worker.call(1);
  expect(letter.action).toBe("billing.dead");
  const [told] = JSON.parse("json" in letter.args ? letter.args.json : "") as [unknown];
  expect(told).toMatchObject({ payload: 4 });
});

it("I8: a job of one attempt whose workers are killed three times has that attempt all the same", async () => {
  const { bed, client, worker: first, port } = await billing();
  const { id } = await startOne(client, { type: "billing.refund", input: 5, maxAttempts: 1 });
  let worker = first;
  for (let killed = 0; killed < 3; killed++) {
    await worker.call();
    worker.break();
    worker = await new RawWorker(port, { ...first.hello, workerId: `next-${killed}` }).open(10);
  }
  const call = await worker.call();
  expect(call).toMatchObject({ runId: id, attempt: 4 });
  const [row] = await bed.query("SELECT attempt, max_attempts, status FROM cairn.workflow_run WHERE id = $1", id);
  expect(row).toEqual({ attempt: 1, max_attempts: 1, status: "leased" });
  const value = { json: JSON.stringify({ $error: { names: ["Error"], message: "busy" } }) };
  const retry = { attempts: 5, baseMs: 1, capMs: 1 };
  worker.say({ outcomes: [{ ...refOf(call), kind: "error", value, retry, durationMs: 1 }] });
  expect(await untilRun(bed, id, ({ status }) => status === "failed")).toMatchObject({ last_error: "Error: busy" });
});
