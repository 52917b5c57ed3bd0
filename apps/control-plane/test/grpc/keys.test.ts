import { connect as connectTls } from "node:tls";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { blobRefOf, pb, serviceDefinition, waitRequestToProto } from "@cairnjs/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ControlPlane, ControlPlaneOptions } from "../../src/index.ts";
import {
  expiredCertificate,
  misspelledCertificate,
  serverCertificate,
  strangerCertificate,
} from "../support/refused-certificates.ts";
import { billingCertificate, testCertificate, testKey, workerCertificate } from "../support/test-certificate.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { testKeyOf, type TestKey } from "../support/test-keys.ts";
import {
  clientMethods,
  connectTo,
  type Ended,
  endedBy,
  RawWorker,
  registerFlows,
  startRuns,
  tokenMetadata,
} from "../support/test-worker.ts";

const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };

/** A stream that somebody stays on, and how it ends. */
function stayOn(port: number, path: string, message: Uint8Array, token: string): { ended: Ended | null } {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const stream = connectTo(port).makeBidiStreamRequest(path, asIs, asIs, tokenMetadata(token));
  const state: { ended: Ended | null } = { ended: null };
  stream.on("data", () => {});
  stream.on("error", (error: ServiceError) => (state.ended = endedBy(error)));
  stream.on("end", () => (state.ended ??= { status: 0, code: undefined, details: "" }));
  stream.write(Buffer.from(message));
  // No further one comes: it stays all the same.
  stream.end();
  return state;
}

/** All kinds of streams of one key, on a run that does not end. */
async function streamsOf(bed: TestBed, port: number, key: string): Promise<(() => Ended | null)[]> {
  const [run] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs");
  const at = { namespace: "default", runId: run!.id };
  const wait = toBinary(pb.WaitRequestSchema, waitRequestToProto({ namespace: "default", runIds: [run!.id] }));
  const watch = toBinary(pb.WatchChunksRequestSchema, create(pb.WatchChunksRequestSchema, at));
  const worker = await new RawWorker(port, { token: key }).open();
  const waiting = stayOn(port, clientMethods.wait.path, wait, key);
  const watching = stayOn(port, clientMethods.watchChunks.path, watch, key);
  return [() => worker.ended, () => waiting.ended, () => watching.ended];
}

async function planeWithRun(): Promise<{ bed: TestBed; plane: ControlPlane; all: TestKey }> {
  const bed = await testBed();
  const plane = await openPlane(bed, { listen, tokens: [] });
  const all = await testKeyOf(bed, ["admin", "worker"], { name: "all" });
  const client = connectTo(plane.port);
  await registerFlows(client, "default", all.key);
  await startRuns(client, [{ type: "remote.waiting", input: "x" }], "default", all.key);
  return { bed, plane, all };
}

const over = { code: "Unauthenticated", status: status.UNAUTHENTICATED };

describe("streams", () => {
  it("end when their key is revoked, here at once and elsewhere within seconds; others stay", async () => {
    const { bed, plane, all } = await planeWithRun();
    const other = await openPlane(bed, { listen, tokens: [] });
    const gone = await testKeyOf(bed, ["operate", "worker"], { name: "gone" });
    const here = await streamsOf(bed, plane.port, gone.key);
    const elsewhere = await streamsOf(bed, other.port, gone.key);
    const staying = [...(await streamsOf(bed, plane.port, all.key)), ...(await streamsOf(bed, other.port, all.key))];
    expect([...here, ...elsewhere].map((ended) => ended())).toEqual(Array(6).fill(null));
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${plane.httpPort}/v1/keys/${gone.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${all.key}` },
    });
    expect(answer.status).toBe(200);
    await until(async () => here.every((ended) => ended() !== null));
    expect(performance.now() - began).toBeLessThan(1_000);
    await until(async () => elsewhere.every((ended) => ended() !== null));
    expect(performance.now() - began).toBeLessThan(4_000);
    for (const ended of [...here, ...elsewhere]) {
      expect(ended()).toMatchObject({ ...over, details: expect.stringMatching(/^the key gone \(\w{8}\) is over$/) });
    }
    expect(staying.map((ended) => ended())).toEqual(Array(6).fill(null));
  });

  it("end when their key expires", async () => {
    const { bed, plane } = await planeWithRun();
    const key = await testKeyOf(bed, ["operate", "worker"]);
    await bed.query("UPDATE cairn.api_keys SET expires_at = cairn.now() + interval '1 hour' WHERE id = $1", key.id);
    const streams = await streamsOf(bed, plane.port, key.key);
    await bed.advance(3_600_000);
    await until(async () => streams.every((ended) => ended() !== null));
    for (const ended of streams) expect(ended()).toMatchObject(over);
  });
});

it("a large value that is put or read ends when the key is revoked", async () => {
  const { bed, plane, all } = await planeWithRun();
  const gone = await testKeyOf(bed, ["operate", "worker"]);
  const bytes = Buffer.alloc(10_000_000, 97);
  const { digest } = blobRefOf(bytes);
  const blob = { digest, sizeBytes: BigInt(bytes.length) };
  await bed.query(
    "INSERT INTO cairn.blobs (digest, bytes, created_at) VALUES (decode($1, 'hex'), $2, cairn.now())",
    digest,
    bytes,
  );
  const { putBlob, getBlob } = serviceDefinition(pb.WorkerService);
  const client = connectTo(plane.port);
  const metadata = tokenMetadata(gone.key);
  const put = new Promise<Ended | null>((resolve) => {
    const { path, requestSerialize, responseDeserialize } = putBlob;
    const stream = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, metadata, (error) =>
      resolve(error === null ? null : endedBy(error)),
    );
    stream.write(create(pb.PutBlobRequestSchema, { blob, chunk: bytes.subarray(0, 100) }));
  });
  const { path, requestSerialize, responseDeserialize } = getBlob;
  const request = create(pb.GetBlobRequestSchema, { blob });
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
  const got = new Promise<Ended>((resolve) => stream.on("error", (error: ServiceError) => resolve(endedBy(error))));
  await new Promise((resolve) => stream.once("readable", () => resolve(null)));
  await fetch(`http://127.0.0.1:${plane.httpPort}/v1/keys/${gone.id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${all.key}` },
  });
  let length = 0;
  stream.on("data", ({ chunk }: pb.GetBlobResponse) => (length += chunk.length));
  expect(await put).toMatchObject(over);
  expect(await got).toMatchObject(over);
  expect(length).toBeLessThan(bytes.length);
});

it("a caller of one namespace is not told whether a blob was there before", async () => {
  const { bed, plane, all } = await planeWithRun();
  const bound = await testKeyOf(bed, ["worker"], { namespace: "billing" });
  const { putBlob } = serviceDefinition(pb.WorkerService);
  const put = (text: string, { key }: TestKey): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(text);
      const { digest } = blobRefOf(bytes);
      const { path, requestSerialize, responseDeserialize } = putBlob;
      const stream = connectTo(plane.port).makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        tokenMetadata(key),
        (error, answer) => (error === null ? resolve(answer!.existed) : reject(error)),
      );
      const blob = { digest, sizeBytes: BigInt(bytes.length) };
      stream.write(create(pb.PutBlobRequestSchema, { blob, chunk: bytes }));
      stream.end();
    });
  const said = [await put("secret", all), await put("secret", all), await put("secret", bound), await put("x", bound)];
  expect(said).toEqual([false, true, false, false]);
});

describe("certificates of clients", () => {
  const tls = { key: testKey, certificate: testCertificate, clientAuthority: testCertificate };

  type Pair = typeof workerCertificate;

  async function secured(options: ControlPlaneOptions = {}) {
    const bed = await testBed();
    const plane = await openPlane(bed, { tls, ...options });
    /** How starting nothing ends: who may not is told so. */
    const ask = (pair: Pair, method: "start" | "register", namespace: string, token?: string): Promise<string> => {
      const own = credentials.createSsl(testCertificate, pair.key, pair.certificate);
      const client = new Client(`localhost:${plane.port}`, own);
      onTestFinished(() => client.close());
      const asIs = (bytes: Buffer): Buffer => bytes;
      const schema = method === "start" ? pb.StartRequestSchema : pb.RegisterRequestSchema;
      const message = Buffer.from(toBinary(schema, create(schema, { namespace })));
      const metadata = token === undefined ? new Metadata() : tokenMetadata(token);
      return new Promise((resolve) => {
        client.makeUnaryRequest(clientMethods[method].path, asIs, asIs, message, metadata, (error) =>
          resolve(error === null ? "yes" : (endedBy(error).code ?? error.details)),
        );
      });
    };
    return { bed, plane, ask };
  }

  it("say who it is, and for which namespace; without tokens that is enough, but for admin", async () => {
    const { bed, ask } = await secured();
    const answers = [
      await ask(workerCertificate, "start", "default"),
      await ask(workerCertificate, "register", "billing"),
      await ask(billingCertificate, "start", "billing"),
      await ask(billingCertificate, "start", "default"),
    ];
    expect(answers).toEqual(["yes", "yes", "yes", "WrongNamespace"]);
    const [reader, media] = [await testKeyOf(bed, ["read"]), await testKeyOf(bed, ["operate"], { namespace: "media" })];
    // Who says a key has what that says.
    expect(await ask(workerCertificate, "start", "default", reader.key)).toBe("Forbidden");
    expect(await ask(workerCertificate, "start", "media", media.key)).toBe("yes");
    expect(await ask(billingCertificate, "start", "media", media.key)).toBe("WrongNamespace");
    expect(await ask(workerCertificate, "start", "default", "wrong")).toBe("Unauthenticated");
  });

  it("are not enough where there are tokens, or where a key is wanted", async () => {
    const withTokens = await secured({ tokens: [{ token: "t" }] });
    expect(await withTokens.ask(workerCertificate, "start", "default")).toBe("Unauthenticated");
    expect(await withTokens.ask(workerCertificate, "start", "default", "t")).toBe("yes");
    expect(await withTokens.ask(billingCertificate, "start", "default", "t")).toBe("WrongNamespace");
    const withKeys = await secured({ certificates: "with-key" });
    expect(await withKeys.ask(workerCertificate, "start", "default")).toBe("Unauthenticated");
    const { key } = await testKeyOf(withKeys.bed, ["operate"]);
    expect(await withKeys.ask(workerCertificate, "start", "default", key)).toBe("yes");
  });

  /** Whether the server says a word of HTTP/2, or ends it before. */
  function spoken(port: number, pair: Pair | null, version: "TLSv1.2" | "TLSv1.3"): Promise<boolean> {
    const own = pair === null ? {} : { key: pair.key, cert: pair.certificate };
    const versions = { minVersion: version, maxVersion: version };
    return new Promise((resolve) => {
      const options = { host: "127.0.0.1", port, ca: testCertificate, ALPNProtocols: ["h2"], ...own, ...versions };
      const socket = connectTls({ ...options, servername: "localhost" });
      onTestFinished(() => void socket.destroy());
      socket.once("data", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("close", () => resolve(false));
    });
  }

  it("of another authority, expired, for servers, or none, are refused at the handshake, with a key too", async () => {
    const { bed, plane, ask } = await secured();
    const { key } = await testKeyOf(bed, ["operate"]);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      expect(await spoken(plane.port, workerCertificate, version)).toBe(true);
      for (const pair of [strangerCertificate, expiredCertificate, serverCertificate, null]) {
        expect(await spoken(plane.port, pair, version)).toBe(false);
      }
    }
    for (const pair of [strangerCertificate, expiredCertificate, serverCertificate]) {
      expect(await ask(pair, "start", "default", key)).toMatch(/^No connection established|alert|ECONNRESET/);
    }
    expect(await ask(workerCertificate, "start", "default", key)).toBe("yes");
  });

  it("of our authority that are misspelled are refused, with a key too", async () => {
    const { bed, ask } = await secured();
    const { key } = await testKeyOf(bed, ["operate"]);
    expect(await ask(misspelledCertificate, "start", "billing")).toBe("Forbidden");
    expect(await ask(misspelledCertificate, "start", "billing", key)).toBe("Forbidden");
  });

  it("and that of the server may change while it listens; what cannot be used is refused", async () => {
    const { plane, ask } = await secured();
    const shown = (): Promise<string> => ask(workerCertificate, "start", "default");
    expect(await shown()).toBe("yes");
    // Signed by the same, but not for this host.
    plane.renewCertificates({ ...workerCertificate, clientAuthority: testCertificate });
    expect(await shown()).toMatch(/localhost|No connection established/);
    expect(() => plane.renewCertificates({ ...tls, key: workerCertificate.key })).toThrow(
      "cannot be used with its key",
    );
    plane.renewCertificates(tls);
    expect(await shown()).toBe("yes");
  });
});
