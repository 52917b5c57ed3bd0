import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { Client, credentials, status } from "@grpc/grpc-js";
import { blobRefOf, chunksOf, pb, registerRequestToProto, serviceDefinition } from "@cairnjs/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { permitted } from "../../src/grpc/authorization.ts";
import { noLimits, testAccess } from "../support/test-access.ts";
import { testCertificate, testKey } from "../support/test-certificate.ts";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { action } from "../support/test-hub.ts";
import {
  ask,
  clientMethods,
  connectTo,
  endedBy,
  RawWorker,
  registerFlows,
  registrations,
  startRun,
  tokenMetadata,
} from "../support/test-worker.ts";

/** A control plane with a worker that goes on whatever others do. */
async function planeWithWorker(options = {}) {
  const bed = await testBed();
  const plane = await openPlane(bed, options);
  const client = connectTo(plane.port);
  await registerFlows(client);
  const good = await new RawWorker(plane.port, {
    workerId: "good",
    answer: ({ action: name }) => (name === "remote.charge" ? "1" : null),
  }).open();
  const undisturbed = async (): Promise<void> => {
    const id = await startRun(client, "remote.paying", 1);
    await untilRun(bed, id, (row) => row.status === "succeeded");
    expect(good.ended).toBeNull();
  };
  /** Nobody is connected but those. */
  const left = (...workers: RawWorker[]): Promise<boolean> =>
    until(async () => {
      const rows = await bed.query<{ worker: string }>("SELECT worker FROM cairn.worker_status ORDER BY worker");
      const expected = [good, ...workers].map(({ hello }) => hello.workerId).sort();
      return JSON.stringify(rows.map(({ worker }) => worker)) === JSON.stringify(expected);
    });
  return { bed, plane, client, good, undisturbed, left };
}

describe("what is refused with a code, others undisturbed", () => {
  it("bytes that are no message", async () => {
    const { plane, undisturbed, left } = await planeWithWorker();
    const bad = await new RawWorker(plane.port, {}).open(0);
    await left(bad);
    bad.sayBytes(Buffer.alloc(100, 0xff));
    expect(await bad.end()).toMatchObject({ status: status.INTERNAL });
    await left();
    await undisturbed();
  });

  it("a frame that says too little", async () => {
    const { plane, undisturbed } = await planeWithWorker();
    const bad = new RawWorker(plane.port, {});
    bad.connect();
    bad.say({ hello: { ...bad.hello, namespace: "a b" } });
    expect(await bad.end()).toMatchObject({
      code: "InvalidMessage",
      details: expect.stringMatching(/^hello\.namespace /),
    });
    await undisturbed();
  });

  it("a first frame without hello, and a second hello", async () => {
    const { plane, undisturbed } = await planeWithWorker();
    const silent = new RawWorker(plane.port, {});
    silent.connect();
    silent.say({ credits: { received: 0, free: 1 } });
    expect(await silent.end()).toMatchObject({
      code: "InvalidMessage",
      details: expect.stringContaining("hello is missing"),
    });
    const twice = await new RawWorker(plane.port, {}).open(0);
    twice.say({ hello: twice.hello });
    expect(await twice.end()).toMatchObject({ code: "InvalidMessage" });
    await undisturbed();
  });

  it("a message of more than 4 MB", async () => {
    const { plane, undisturbed, left } = await planeWithWorker();
    const bad = await new RawWorker(plane.port, {}).open(0);
    await left(bad);
    bad.sayBytes(Buffer.alloc(5 * 1024 * 1024));
    expect(await bad.end()).toMatchObject({ status: status.RESOURCE_EXHAUSTED });
    await left();
    await undisturbed();
  });

  it("credits beyond what is so", async () => {
    const { plane, undisturbed } = await planeWithWorker();
    for (const credits of [
      { received: 5, free: 1 },
      { received: 0, free: 1_000_000 },
    ]) {
      const liar = await new RawWorker(plane.port, {}).open(0);
      liar.say({ credits });
      expect(await liar.end()).toMatchObject({ code: "InvalidMessage", status: status.INVALID_ARGUMENT });
    }
    await undisturbed();
  });

  it("results for calls that are not open, or of another worker, and duplicates", async () => {
    const { bed, plane, client, good, undisturbed } = await planeWithWorker();
    const liar = await new RawWorker(plane.port, { actions: [] }).open();
    const slow = await new RawWorker(plane.port, { workerId: "slow", actions: [], prefixes: [] }).open();
    await undisturbed();
    const done = good.calls[0]!;
    liar.answer({ ...done, runId: "01890a5d-ac96-774b-bcce-b302099a8057" }, "2");
    good.answer(done, "2");
    await until(async () => liar.cancels.length === 1 && good.cancels.length === 1);
    expect([liar.cancels[0]!.reason, good.cancels[0]!.reason]).toEqual([
      expect.stringMatching(/^NotOpen: /),
      expect.stringMatching(/^NotOpen: /),
    ]);
    expect(slow.ended).toBeNull();
    const [row] = await bed.query("SELECT result FROM cairn.runs WHERE id = $1", done.runId);
    expect(row).toEqual({ result: "paid 1" });
    await startRun(client, "remote.paying", 5);
    await undisturbed();
  });

  it("results for runs of another namespace", async () => {
    const { bed, plane, client, good } = await planeWithWorker();
    const holder = await new RawWorker(plane.port, { actions: [action("remote.slow")] }).open();
    const stranger = await new RawWorker(plane.port, { namespace: "other" }).open();
    const id = await startRun(client, "remote.waiting", "x");
    await until(async () => holder.calls.length + good.calls.length === 1);
    const other = await openPlane(bed);
    const elsewhere = await new RawWorker(other.port, { namespace: "other" }).open();
    for (const worker of [stranger, elsewhere]) {
      const { incarnation } = [...holder.calls, ...good.calls][0]!;
      worker.answer({ incarnation, runId: id, call: "1.0", attempt: 1 }, '"forged"');
      await until(async () => worker.cancels.length === 1);
      expect(worker.cancels[0]!.reason).toMatch(/^NotOpen: /);
    }
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("no token, a wrong one, and one for another namespace", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed, {
      tokens: [{ token: "all" }, { token: "mine", namespace: "default" }, { token: "theirs", namespace: "other" }],
    });
    const codes: unknown[] = [];
    for (const token of [undefined, "wrong", "theirs"]) {
      const worker = new RawWorker(plane.port, token === undefined ? {} : { token });
      worker.connect();
      worker.say({ hello: worker.hello });
      codes.push((await worker.end()).code);
    }
    expect(codes).toEqual(["Unauthenticated", "Unauthenticated", "WrongNamespace"]);
    for (const token of ["all", "mine"]) expect((await new RawWorker(plane.port, { token }).open()).ended).toBeNull();
    const client = connectTo(plane.port);
    await expect(registerFlows(client, "default", "theirs")).rejects.toMatchObject({
      code: "WrongNamespace",
      status: status.PERMISSION_DENIED,
    });
    await expect(registerFlows(client)).rejects.toMatchObject({
      code: "Unauthenticated",
      status: status.UNAUTHENTICATED,
    });
    await registerFlows(client, "default", "mine");
  });

  it("whoever has no certificate, where one is wanted", async () => {
    const bed = await testBed();
    const tls = { key: testKey, certificate: testCertificate, clientAuthority: testCertificate };
    const plane = await openPlane(bed, { tls });
    const register = async (secured: ReturnType<typeof credentials.createSsl>): Promise<unknown> => {
      const client = new Client(`localhost:${plane.port}`, secured);
      onTestFinished(() => client.close());
      return registerFlows(client).then(
        () => "registered",
        (error: { status: number }) => error.status,
      );
    };
    expect(await register(credentials.createSsl(testCertificate, testKey, testCertificate))).toBe("registered");
    expect(await register(credentials.createSsl(testCertificate))).toBe(status.UNAVAILABLE);
    const [known] = await bed.query<{ url: string }>("SELECT url FROM cairn.control_planes");
    expect(known!.url).toBe(`https://127.0.0.1:${plane.port}`);
  });

  it("what is no bearer of a token", async () => {
    const doors = { access: testAccess({ tokens: [{ token: "t" }] }), limits: noLimits() };
    const metadata = tokenMetadata();
    const call = { metadata, getAuthContext: () => ({}), getPeer: () => "127.0.0.1:1" };
    for (const said of ["t", "Basic t", "Bearer", "Bearer t t"]) {
      metadata.set("authorization", said);
      await expect(permitted(doors, "work", call)).rejects.toMatchObject({ code: "Unauthenticated" });
    }
    metadata.set("authorization", "bearer t");
    expect(await permitted(doors, "work", call)).toMatchObject({ namespace: null });
  });

  it("programs that are none, or not what their hash says", async () => {
    const { client } = await planeWithWorker();
    const [first] = registrations();
    for (const wrong of [
      { ...first!, version: "x", program: { json: "{}" } },
      { ...first!, version: "y", programHash: "0".repeat(64) },
    ]) {
      const request = registerRequestToProto({ namespace: "default", workflows: [wrong], actions: [] });
      await expect(ask(client, clientMethods.register, request)).rejects.toMatchObject({ code: "InvalidMessage" });
    }
    const changed = { ...registrations()[1]!, version: first!.version, name: first!.name };
    const request = registerRequestToProto({ namespace: "default", workflows: [changed], actions: [] });
    await expect(ask(client, clientMethods.register, request)).rejects.toMatchObject({ code: "VersionConflict" });
  });
});

it("a signal under the key of another one", async () => {
  const { bed, client } = await planeWithWorker();
  const runId = await startRun(client, "remote.waiting", null);
  const key = crypto.randomUUID();
  const send = (json: string): Promise<unknown> => {
    const value = { content: { case: "json" as const, value: json } };
    const request = create(pb.SignalRequestSchema, { namespace: "default", runId, name: "go", value, key });
    return ask(client, clientMethods.signal, request);
  };
  await send("1");
  await send("1");
  await expect(send("2")).rejects.toMatchObject({ code: "IdempotencyConflict" });
  expect(await bed.query("SELECT FROM cairn.sent_letters")).toHaveLength(1);
});

describe("blobs", () => {
  const { putBlob, getBlob } = serviceDefinition(pb.WorkerService);

  async function put(port: number, messages: readonly pb.PutBlobRequest[]): Promise<pb.PutBlobResponse> {
    const client = connectTo(port);
    return new Promise((resolve, reject) => {
      const stream = client.makeClientStreamRequest(
        putBlob.path,
        putBlob.requestSerialize,
        putBlob.responseDeserialize,
        (error, answer) =>
          error === null ? resolve(answer!) : reject(Object.assign(new Error(error.details), endedBy(error))),
      );
      for (const message of messages) stream.write(message);
      stream.end();
    });
  }

  function messagesOf(bytes: Buffer, blob = blobRefOf(bytes)): pb.PutBlobRequest[] {
    const ref = { digest: blob.digest, sizeBytes: BigInt(blob.bytes) };
    return [...chunksOf(bytes)].map((chunk, index) =>
      create(pb.PutBlobRequestSchema, { chunk, ...(index === 0 ? { blob: ref } : {}) }),
    );
  }

  async function get(port: number, bytes: Buffer, digest = blobRefOf(bytes).digest): Promise<Buffer> {
    const stream = connectTo(port).makeServerStreamRequest(
      getBlob.path,
      getBlob.requestSerialize,
      getBlob.responseDeserialize,
      create(pb.GetBlobRequestSchema, { blob: { digest, sizeBytes: BigInt(bytes.length) } }),
    );
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of stream as AsyncIterable<pb.GetBlobResponse>) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  it("are put in chunks, once, and come back", async () => {
    const plane = await openPlane(await testBed());
    const bytes = Buffer.from("chunk ".repeat(100_000));
    expect((await put(plane.port, messagesOf(bytes))).existed).toBe(false);
    expect((await put(plane.port, messagesOf(bytes))).existed).toBe(true);
    expect((await get(plane.port, bytes)).equals(bytes)).toBe(true);
  });

  it("that are not what was announced are refused, as are too large ones and those that are not there", async () => {
    const plane = await openPlane(await testBed());
    const bytes = Buffer.from("abc");
    const wrong = { digest: "0".repeat(64), bytes: 3 };
    await expect(put(plane.port, messagesOf(bytes, wrong))).rejects.toMatchObject({ code: "InvalidMessage" });
    const longer = { ...blobRefOf(bytes), bytes: 2 };
    await expect(put(plane.port, messagesOf(bytes, longer))).rejects.toMatchObject({ code: "InvalidMessage" });
    const huge = { ...wrong, bytes: 9_000_000_000 };
    await expect(put(plane.port, messagesOf(bytes, huge))).rejects.toMatchObject({ code: "InvalidMessage" });
    await expect(put(plane.port, [])).rejects.toMatchObject({ code: "InvalidMessage" });
    await expect(get(plane.port, bytes)).rejects.toMatchObject({ code: status.NOT_FOUND });
  });
});
