import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import {
  cancelRequestToProto,
  messageToBytes,
  pb,
  signalRequestToProto,
  waitRequestToProto,
  waitResponseFromProto,
} from "@cairnjs/protocol";
import { noLimits, testAccess } from "../support/test-access.ts";
import { AuditLog } from "../../src/audit/audit-log.ts";
import { GrpcServer } from "../../src/grpc/grpc-server.ts";
import type { WorkerHub } from "../../src/hub/worker-hub.ts";
import type { Engine } from "../../src/library/engine.ts";
import { openPlane, runRow, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action, TestHub } from "../support/test-hub.ts";
import {
  ask,
  clientMethods,
  connectTo,
  RawWorker,
  refOf,
  registerFlows,
  registrations,
  startRun,
  startRuns,
} from "../support/test-worker.ts";

async function planeWithFlows(options = {}) {
  const bed = await testBed();
  const plane = await openPlane(bed, options);
  const client = connectTo(plane.port);
  await registerFlows(client);
  return { bed, plane, client };
}

describe("a run over gRPC", () => {
  it("is started, its call dispatched to a worker, its end told to who waits", async () => {
    const { bed, plane, client } = await planeWithFlows();
    const worker = await new RawWorker(plane.port, { workerId: "w-1" }).open();
    const id = await startRun(client, "remote.paying", 7);
    const { wait } = clientMethods;
    const stream = client.makeBidiStreamRequest(wait.path, wait.requestSerialize, wait.responseDeserialize);
    const ended = new Promise<pb.WaitResponse>((resolve, reject) => stream.on("data", resolve).on("error", reject));
    stream.write(waitRequestToProto({ namespace: "default", runIds: [id] }));
    const call = await worker.call();
    expect(call).toMatchObject({ runId: id, action: "remote.charge", type: "remote.paying", args: { json: "[7]" } });
    worker.answer(call, "7");
    expect(waitResponseFromProto(await ended).ends).toEqual([
      { runId: id, status: "succeeded", value: { json: '"paid 7"' }, trace: null },
    ]);
    stream.end();
    await until(async () => worker.acknowledged.length === 1);
    expect(worker.acknowledged).toEqual([refOf(call)]);
    const [row] = await bed.query("SELECT worker, attempt FROM cairn.step_attempts WHERE run_id = $1", id);
    expect(row).toEqual({ worker: "w-1", attempt: 1 });
  });

  it("runs in threads as well", async () => {
    const { plane, client, bed } = await planeWithFlows({ runloops: 1 });
    await new RawWorker(plane.port, { answer: () => "3" }).open();
    const id = await startRun(client, "remote.paying", 3);
    expect((await untilRun(bed, id, ({ status }) => status === "succeeded")).result).toBe("paid 3");
  });

  it("inline steps go to the worker that announced the workflow", async () => {
    const { plane, client, bed } = await planeWithFlows();
    const { name, version } = registrations().find((each) => each.name === "remote.stepping")!;
    await new RawWorker(plane.port, { workerId: "without" }).open();
    const worker = await new RawWorker(plane.port, { workflows: [{ name, version }], answer: () => "8" }).open();
    const id = await startRun(client, "remote.stepping", 4);
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    expect(worker.calls[0]).toMatchObject({ type: name, version });
  });

  it("that is cancelled cancels its call at the worker at once", async () => {
    const { plane, client, bed } = await planeWithFlows();
    const worker = await new RawWorker(plane.port, {}).open();
    const id = await startRun(client, "remote.waiting", "x");
    const call = await worker.call();
    await bed.query("SELECT cairn.cancel_run($1)", id);
    await until(async () => worker.cancels.length === 1);
    expect(worker.cancels[0]).toMatchObject(refOf(call));
    expect((await runRow(bed, id)).status).toBe("cancelled");
  });

  it("with a malformed answer fails, and the machine never sees it", async () => {
    const { plane, client, bed } = await planeWithFlows();
    const worker = await new RawWorker(plane.port, { answer: () => '{"$date":"no"}' }).open();
    const id = await startRun(client, "remote.paying", 1);
    const { last_error: lastError } = await untilRun(bed, id, ({ status }) => status === "failed");
    expect(lastError).toMatch(/^InvalidOutput: The worker raw-/);
    await until(async () => worker.acknowledged.length === 1);
  });

  it("starts in batches: one that is wrong keeps none of the others from it, and one that is repeated existed", async () => {
    const { client } = await planeWithFlows();
    const [first, wrong, unknown] = await startRuns(client, [
      { type: "remote.paying", input: 1, idempotencyKey: "k" },
      { type: "remote.paying", payload: { json: '{"$date":"no"}' } },
      { type: "remote.nobody", input: 1 },
    ]);
    expect([first!.kind, wrong, unknown]).toMatchObject([
      "started",
      { kind: "error", error: { code: "InvalidInput" } },
      { kind: "error", error: { code: "UnknownType" } },
    ]);
    const again = await startRuns(client, [{ type: "remote.paying", input: 1, idempotencyKey: "k" }]);
    expect(again).toEqual([{ kind: "existed", id: (first as { id: string }).id }]);
  });
});

describe("a worker that reads nothing", () => {
  it("is sent no more than there is room for, and others get the rest", async () => {
    const { plane, client } = await planeWithFlows();
    const slow = await new RawWorker(plane.port, { workerId: "slow" }).open(100);
    slow.read(false);
    const count = 60;
    const input = "x".repeat(200_000);
    const starts = Array.from({ length: count }, () => ({ type: "remote.waiting", input }));
    for (let at = 0; at < count; at += 10) await startRuns(client, starts.slice(at, at + 10));
    const quick = await new RawWorker(plane.port, { workerId: "quick" }).open(100);
    await until(async () => quick.calls.length >= count / 2);
    slow.read(true);
    await until(async () => slow.calls.length + quick.calls.length === count);
    // What it has not read is bounded: here by 1 MB and what lies in the buffers of the connection.
    expect(slow.calls.length).toBeLessThan(count / 2);
    expect(slow.ended).toBeNull();
  });
});

describe("an action that nobody has", () => {
  it("fails its run with exactly no_handler_registered, without another try, with an event", async () => {
    const { plane, client, bed } = await planeWithFlows({ noHandlerGraceMs: 200 });
    await new RawWorker(plane.port, {}).open();
    const id = await startRun(client, "remote.lacking");
    const row = await untilRun(bed, id, ({ status }) => status === "failed");
    expect(row.last_error).toBe("no_handler_registered");
    const attempts = await bed.query("SELECT attempt FROM cairn.step_attempts WHERE run_id = $1", id);
    expect(attempts).toHaveLength(1);
    const [event] = await bed.query<{ data: unknown }>("SELECT data FROM cairn.outbox_events WHERE run_id = $1", id);
    expect(event!.data).toMatchObject({ lastError: "no_handler_registered" });
  });

  it("of a prefix that nobody serves lets its run wait, which says for what", async () => {
    const { plane, client, bed } = await planeWithFlows({ noHandlerGraceMs: 0 });
    await new RawWorker(plane.port, {}).open();
    const id = await startRun(client, "remote.unserved");
    const row = await untilRun(bed, id, ({ phase }) => phase === "waiting");
    expect(row.waiting_for).toBe("a worker for billing.");
    await new RawWorker(plane.port, {
      prefixes: ["billing."],
      actions: [action("billing.charge")],
      answer: () => "0",
    }).open();
    await untilRun(bed, id, ({ status }) => status === "succeeded");
  });

  it("is not missed while a worker that is connected to another control plane has it", async () => {
    const { plane, client, bed } = await planeWithFlows({ noHandlerGraceMs: 100 });
    const other = await openPlane(bed);
    const having = new RawWorker(other.port, {
      actions: [action("remote.missing")],
      answer: () => "1",
    });
    await having.open();
    await new RawWorker(plane.port, {}).open();
    await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length === 2);
    const [{ pool }] = (await bed.query<{ pool: string }>(
      "SELECT pool FROM cairn.worker_status WHERE 'remote.missing' = ANY (actions)",
    )) as [{ pool: string }];
    expect(pool).toBe(other.id);
    const id = await startRun(client, "remote.lacking");
    await untilRun(bed, id, ({ status }) => status === "succeeded");
  });
});

describe("the server", () => {
  it("answers health and reflection, also of the service itself", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    const client = connectTo(plane.port);
    const bytes = (each: Buffer): Buffer => each;
    const health = await new Promise<Buffer>((resolve, reject) => {
      const path = "/grpc.health.v1.Health/Check";
      client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), (error, answer) =>
        error === null ? resolve(answer!) : reject(error),
      );
    });
    expect([...health]).toEqual([8, 1]);
    for (const version of ["v1", "v1alpha"]) {
      const stream = client.makeBidiStreamRequest(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        bytes,
        bytes,
      );
      const heard: Buffer[] = [];
      stream.on("data", (answer: Buffer) => heard.push(answer));
      // Field 7, list_services; field 4, file_containing_symbol.
      const symbol = "cairn.v1.WorkerService";
      stream.write(Buffer.from([0x3a, 0x00]));
      stream.write(Buffer.concat([Buffer.from([0x22, symbol.length]), Buffer.from(symbol)]));
      await until(async () => heard.length === 2);
      expect(heard[0]!.toString()).toContain("cairn.v1.ClientService");
      expect(heard[1]!.toString()).toContain("AnnouncedWorkflow");
      stream.end();
    }
  });

  it("signals and cancels runs", async () => {
    const { plane, client, bed } = await planeWithFlows();
    const worker = await new RawWorker(plane.port, {}).open();
    const id = await startRun(client, "remote.waiting", "x");
    const key = "01890a5d-ac96-474b-bcce-b302099a8057";
    const signal = signalRequestToProto({ namespace: "default", runId: id, name: "news", value: { json: "1" }, key });
    await ask(client, clientMethods.signal, signal);
    await ask(client, clientMethods.signal, signal);
    await until(async () => (await bed.query("SELECT FROM cairn.history WHERE kind = 'signal'")).length === 1);
    await worker.call();
    await ask(
      client,
      clientMethods.cancel,
      cancelRequestToProto({ namespace: "default", runId: id, reason: "enough" }),
    );
    await untilRun(bed, id, ({ status }) => status === "cancelled");
    await expect(ask(client, clientMethods.signal, { ...signal, key: key.replace("5d", "5e") })).rejects.toMatchObject({
      code: "RunEnded",
    });
    const other = cancelRequestToProto({ namespace: "other", runId: id, reason: "" });
    await expect(ask(client, clientMethods.cancel, other)).rejects.toMatchObject({ code: "NotFound" });
  });

  it("refuses workers that are too old, before it looks at the rest of what they say", async () => {
    const { server, hub, close } = await bareServer(2);
    const worker = new RawWorker(server.port, { protocolVersion: 1, workerId: "old" });
    worker.connect();
    worker.sayBytes(
      messageToBytes(
        pb.WorkRequestSchema,
        create(pb.WorkRequestSchema, { hello: { protocolVersion: 1, workerId: "old" } }),
      ),
    );
    expect(await worker.end()).toMatchObject({
      code: "ProtocolTooOld",
      details: expect.stringContaining(
        "The worker old speaks version 1 of the protocol, and this control plane 2 and later",
      ),
    });
    expect([...hub.sessions]).toEqual([]);
    await close();
  });

  it("tells who waits for a run that does not exist, and goes on", async () => {
    const { client } = await planeWithFlows();
    const { wait } = clientMethods;
    const stream = client.makeBidiStreamRequest(wait.path, wait.requestSerialize, wait.responseDeserialize);
    const heard = new Promise<pb.WaitResponse>((resolve, reject) => stream.on("data", resolve).on("error", reject));
    const ended = new Promise((resolve) => stream.on("end", resolve));
    const runId = "01890a5d-ac96-774b-bcce-b302099a8057";
    stream.write(waitRequestToProto({ namespace: "default", runIds: [runId] }));
    expect(waitResponseFromProto(await heard).errors).toEqual([
      { runId, error: { code: "NotFound", message: `There is no run ${runId}` } },
    ]);
    stream.end();
    await ended;
  });
});

/** A server that wants a later protocol than there is. */
async function bareServer(minProtocolVersion: number) {
  const { hub } = new TestHub();
  const opened = hub as unknown as WorkerHub<unknown>;
  const engine = { blobs: {} } as Engine;
  const server = await GrpcServer.open({
    engine,
    hub: opened,
    listen: "127.0.0.1:0",
    tls: null,
    access: testAccess({ security: false }),
    limits: noLimits(),
    audit: new AuditLog({} as Engine["client"], () => {}),
    leaseOf: () => null,
    minProtocolVersion,
    handshakeFailed: () => {},
    timeNow: () => 0,
    warn: () => {},
  });
  return { server, hub, close: () => server.close() };
}
