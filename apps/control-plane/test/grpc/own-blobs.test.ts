import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import {
  blobRefOf,
  chunksOf,
  pb,
  serviceDefinition,
  signalRequestToProto,
  waitRequestToProto,
  waitResponseFromProto,
} from "@cairnjs/protocol";
import type { BlobRef, RunEnd } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { sweepBlobReaders } from "../../src/store/blob-readers.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { testKeyOf } from "../support/test-keys.ts";
import {
  ask,
  clientMethods,
  connectTo,
  endedBy,
  RawWorker,
  refOf,
  registerFlows,
  startRuns,
  tokenMetadata,
} from "../support/test-worker.ts";
import { everywhere, large, produces } from "../workflows/large.ts";

const { putBlob, getBlob } = serviceDefinition(pb.WorkerService);

function put(port: number, text: string, key: string): Promise<BlobRef> {
  const bytes = Buffer.from(text);
  const ref = blobRefOf(bytes);
  const { path, requestSerialize, responseDeserialize } = putBlob;
  return new Promise((resolve, reject) => {
    const client = connectTo(port);
    const stream = client.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      tokenMetadata(key),
      (error) => (error === null ? resolve(ref) : reject(error)),
    );
    const blob = { digest: ref.digest, sizeBytes: BigInt(bytes.length) };
    for (const [index, chunk] of [...chunksOf(bytes)].entries()) {
      stream.write(create(pb.PutBlobRequestSchema, { chunk, ...(index === 0 ? { blob } : {}) }));
    }
    stream.end();
  });
}

/** How many bytes came, or the code of what was said instead. */
function got(port: number, { digest, bytes }: BlobRef, key: string): Promise<number | string | undefined> {
  const { path, requestSerialize, responseDeserialize } = getBlob;
  const request = create(pb.GetBlobRequestSchema, { blob: { digest, sizeBytes: BigInt(bytes) } });
  const stream = connectTo(port).makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    tokenMetadata(key),
  );
  let length = 0;
  return new Promise((resolve) => {
    stream.on("data", ({ chunk }: pb.GetBlobResponse) => (length += chunk.length));
    stream.on("end", () => resolve(length));
    stream.on("error", (error: ServiceError) => resolve(endedBy(error).code));
  });
}

function ended(port: number, runId: string, key: string): Promise<RunEnd> {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const { path, responseDeserialize } = clientMethods.wait;
  const stream = connectTo(port).makeBidiStreamRequest(path, asIs, responseDeserialize, tokenMetadata(key));
  const request = waitRequestToProto({ namespace: "billing", runIds: [runId] });
  stream.write(Buffer.from(toBinary(pb.WaitRequestSchema, request)));
  return new Promise((resolve, reject) => {
    stream.on("data", (message: pb.WaitResponse) => resolve(waitResponseFromProto(message).ends[0]!));
    stream.on("error", reject);
  });
}

async function opened(): Promise<{ bed: TestBed; port: number; all: string; billing: string; media: string }> {
  const bed = await testBed();
  const { port } = await openPlane(bed, { security: true });
  const scopes = ["operate", "worker"] as const;
  const keyOf = async (namespace: string | null): Promise<string> => (await testKeyOf(bed, scopes, { namespace })).key;
  return { bed, port, all: await keyOf(null), billing: await keyOf("billing"), media: await keyOf("media") };
}

describe("a caller of one namespace who knows the digest of a large value of another", () => {
  it("does not read it, nor by naming it in what he starts, signals or answers, until he puts it himself", async () => {
    const { bed, port, all, billing, media } = await opened();
    const secret = await put(port, JSON.stringify(large("s")), media);
    const unknown = { ...secret, digest: "0".repeat(64) };
    expect(await got(port, secret, media)).toBe(secret.bytes);
    expect(await got(port, secret, all)).toBe(secret.bytes);
    // What is there is no other answer than what is not.
    expect([await got(port, secret, billing), await got(port, unknown, billing)]).toEqual([
      "BlobMissing",
      "BlobMissing",
    ]);
    const client = connectTo(port);
    await registerFlows(client, "billing", billing);
    const start = (): Promise<unknown> =>
      startRuns(client, [{ type: "remote.waiting", payload: { blob: secret } }], "billing", billing);
    expect(await start()).toMatchObject([{ kind: "error", error: { code: "BlobMissing" } }]);
    const worker = await new RawWorker(port, { token: billing, namespace: "billing" }).open();
    await startRuns(client, [{ type: "remote.paying", input: 1 }], "billing", billing);
    const call = await worker.call();
    worker.say({ heartbeats: [{ ...refOf(call), details: { blob: secret } }] });
    worker.say({
      outcomes: [{ ...refOf(call), kind: "result", value: { blob: secret }, retry: null, durationMs: 1 }],
    });
    const { value, status } = await ended(port, call.runId, billing);
    expect(status).toBe("failed");
    expect(JSON.stringify(value)).toContain("There is no blob");
    expect(await bed.query("SELECT FROM cairn.heartbeat_details")).toEqual([]);
    const signal = {
      namespace: "billing",
      runId: call.runId,
      name: "news",
      value: { blob: secret },
      key: randomUUID(),
    };
    await expect(ask(client, clientMethods.signal, signalRequestToProto(signal), billing)).rejects.toMatchObject({
      code: "BlobMissing",
    });
    expect(await bed.query("SELECT FROM cairn.blob_readers WHERE namespace = 'billing'")).toEqual([]);
    expect(await put(port, JSON.stringify(large("s")), billing)).toEqual(secret);
    expect(await got(port, secret, billing)).toBe(secret.bytes);
    expect(await start()).toMatchObject([{ kind: "started" }]);
  });
});

describe("a caller of one namespace", () => {
  it("works with large values as others do: arguments, results, ends of runs", async () => {
    const { bed, port, billing, media } = await opened();
    openWorker(port, ["large."], { token: billing, namespace: "billing" });
    await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 0);
    const client = connectTo(port);
    const [first] = await startRuns(client, [{ type: produces.name, input: "p" }], "billing", billing);
    if (first?.kind !== "started") throw new Error(JSON.stringify(first));
    const { status, value } = await ended(port, first.id, billing);
    expect(status).toBe("succeeded");
    if (!("blob" in value)) throw new Error("It is large");
    expect([await got(port, value.blob, billing), await got(port, value.blob, media)]).toEqual([
      value.blob.bytes,
      "BlobMissing",
    ]);
    const payload = { blob: await put(port, JSON.stringify({ text: large("t"), letter: "q" }), billing) };
    const [second] = await startRuns(client, [{ type: everywhere.name, payload }], "billing", billing);
    if (second?.kind !== "started") throw new Error(JSON.stringify(second));
    const news = await put(port, JSON.stringify(large("n")), billing);
    const signal = { namespace: "billing", runId: second.id, name: "news", value: { blob: news }, key: randomUUID() };
    await ask(client, clientMethods.signal, signalRequestToProto(signal), billing);
    expect((await ended(port, second.id, billing)).status).toBe("succeeded");
  });

  it("may read what it was sent for a week at least", async () => {
    const { bed, port, billing } = await opened();
    const own = await put(port, large("o"), billing);
    await bed.advance(7 * 86_400_000);
    await sweepBlobReaders(bed.sql);
    expect(await bed.query("SELECT FROM cairn.blob_readers")).toHaveLength(1);
    await bed.advance(86_400_001);
    await sweepBlobReaders(bed.sql);
    expect(await bed.query("SELECT FROM cairn.blob_readers")).toEqual([]);
    expect(own.bytes).toBe(1_000_000);
  });
});

it("what a worker tells in heartbeats is read by the next try, whichever of them is for all namespaces", async () => {
  const { port, all, billing } = await opened();
  const client = connectTo(port);
  await registerFlows(client, "billing", billing);
  for (const [teller, reader] of [
    [all, billing],
    [billing, all],
  ] as const) {
    const told = await put(port, JSON.stringify(large(teller === all ? "a" : "b")), teller);
    const first = await new RawWorker(port, { token: teller, namespace: "billing" }).open();
    await startRuns(client, [{ type: "remote.paying", input: 1 }], "billing", billing);
    const call = await first.call();
    first.say({ heartbeats: [{ ...refOf(call), details: { blob: told } }] });
    const retry = { attempts: 2, baseMs: 1, capMs: 1 };
    const error = { json: JSON.stringify({ $error: { names: ["Error"], message: "again" } }) };
    first.say({ outcomes: [{ ...refOf(call), kind: "error", value: error, retry, durationMs: 1 }], draining: true });
    await until(async () => first.acknowledged.length > 0);
    first.finish();
    const second = await new RawWorker(port, { token: reader, namespace: "billing" }).open();
    const { heartbeatDetails } = await second.call();
    expect(heartbeatDetails).toEqual({ blob: told });
    expect(await got(port, told, reader)).toBe(told.bytes);
    second.answer(second.calls[0]!, "1");
    await until(async () => second.acknowledged.length > 0);
    second.finish();
  }
});
