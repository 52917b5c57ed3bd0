import { startRequestToProto, startResponseFromProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import {
  ask,
  clientMethods,
  connectTo,
  RawWorker,
  registerActions,
  registerFlows,
  startRun,
  startRuns,
} from "../support/test-worker.ts";

it("runs that wait for a worker that is not there park, say so, and keep no others from going on", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, { memoryMb: 64 });
  const client = connectTo(plane.port);
  await registerFlows(client);
  await new RawWorker(plane.port, { answer: () => "1" }).open(20);
  const count = 1_000;
  await startRuns(
    client,
    Array.from({ length: count }, () => ({ type: "remote.unserved" })),
  );
  const id = await startRun(client, "remote.paying", 5);
  await untilRun(bed, id, ({ status }) => status === "succeeded");
  await until(async () => {
    const rows = await bed.query(
      "SELECT FROM cairn.queue WHERE state = 'parked' AND waiting_for = 'a worker for billing.'",
    );
    return rows.length === count;
  });
  await new RawWorker(plane.port, {
    prefixes: ["billing."],
    actions: [action("billing.charge")],
    capacity: count,
    answer: () => "0",
  }).open(count);
  await until(async () => (await bed.query("SELECT FROM cairn.queue LIMIT 1")).length === 0);
});

it("jobs that nobody can run keep no others of their segment waiting", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed, { noHandlerGraceMs: 200 });
  const client = connectTo(plane.port);
  await registerActions(client, [action("billing.refund.v1"), action("billing.invoice.v1")]);
  await new RawWorker(plane.port, {
    prefixes: ["billing.invoice."],
    actions: [action("billing.invoice.v1")],
    answer: () => "1",
  }).open(5);
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 1);
  const unserved = await startRuns(
    client,
    Array.from({ length: 30 }, (_, n) => ({ type: "billing.refund.v1", input: n })),
  );
  const first = unserved[0] as { id: string };
  await untilRun(bed, first.id, ({ waiting_for: what }) => what === "a worker for billing.");
  const id = await startRun(client, "billing.invoice.v1", 1);
  await untilRun(bed, id, ({ status }) => status === "succeeded");
});

it("a run of a control plane that no worker knows goes on where there are workers; people are warned", async () => {
  const bed = await testBed();
  const served = await openPlane(bed);
  const warnings: string[] = [];
  const unknown = await openPlane(bed, {
    listen: { grpc: "0.0.0.0:0" },
    tokens: [{ token: "t" }],
    onWarning: (message, error) => void warnings.push(`${message}: ${String(error)}`),
  });
  expect(warnings.filter((warning) => warning.includes("CAIRN_ADVERTISE_URL"))).toHaveLength(1);
  await registerFlows(connectTo(served.port));
  await new RawWorker(served.port, { answer: () => '"x"' }).open(20);
  const request = startRequestToProto("default", [
    { type: "remote.waiting", payload: { json: '"x"' }, tags: [] },
    { type: "remote.waiting", payload: { json: '"y"' }, tags: [] },
  ]);
  const answer = await ask(connectTo(unknown.port), clientMethods.start, request, "t");
  for (const started of startResponseFromProto(answer, 2)) {
    await untilRun(bed, (started as { id: string }).id, ({ status }) => status === "succeeded");
  }
});

it("a run that waits for a worker goes on when one comes, however long it would have waited", async () => {
  const bed = await testBed();
  const plane = await openPlane(bed);
  const client = connectTo(plane.port);
  await registerFlows(client);
  const ids = [await startRun(client, "remote.unserved"), await startRun(client, "remote.unserved")];
  await until(async () => {
    const later =
      "UPDATE cairn.queue SET wake_at = cairn.now() + interval '1 day' WHERE state = 'parked' RETURNING run_id";
    return (await bed.query(later)).length === ids.length;
  });
  await new RawWorker(plane.port, { actions: [action("remote.other")] }).open();
  const answer = (): string => "0";
  await new RawWorker(plane.port, { prefixes: ["billing."], actions: [action("billing.charge")], answer }).open();
  for (const id of ids) await untilRun(bed, id, ({ status }) => status === "succeeded");
});

it.each([0, 1])(
  "so does one that has not left memory, since another call of it runs (%i threads)",
  async (runloops) => {
    const bed = await testBed();
    const plane = await openPlane(bed, { runloops });
    const client = connectTo(plane.port);
    await registerFlows(client);
    const worker = await new RawWorker(plane.port, {}).open();
    const id = await startRun(client, "remote.mixed");
    const call = await worker.call();
    await untilRun(bed, id, ({ waiting_for: what }) => what === "a worker for billing.");
    // What it would ask again at is an hour later then.
    await bed.advance(-3_600_000);
    const answer = (): string => "0";
    const billing = { prefixes: ["billing."], actions: [action("billing.charge")], answer };
    const other = await new RawWorker(plane.port, billing).open();
    await other.call();
    worker.answer(call, '"x"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
  },
);
