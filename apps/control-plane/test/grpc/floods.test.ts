import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { blobRefOf, chunksOf, pb, serviceDefinition, waitRequestToProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { testCertificate, testKey } from "../support/test-certificate.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { ask, clientMethods, connectTo, RawWorker, registerFlows, tokenMetadata } from "../support/test-worker.ts";
import type { ControlPlaneOptions } from "../../src/index.ts";

const MESSAGE_BYTES = 4 * 1024 * 1024 - 100;
const tokens = [{ token: "one" }, { token: "two" }];
const WATCH = "/grpc.health.v1.Health/Watch";
const CHECK = "/grpc.health.v1.Health/Check";
const NOTHING = Buffer.alloc(5);

const open = async (options: ControlPlaneOptions = {}) => openPlane(await testBed(), { tokens, ...options });

interface Raw {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;
  /** By the status that they ended with. */
  readonly statuses: Map<string, number>;
  begin(path: string, token?: string): ClientHttp2Stream;
}

/** HTTP/2 by hand. */
function connectRaw(port: number): Raw {
  // Else it would end streams by itself.
  const session = connectHttp2(`http://127.0.0.1:${port}`, { maxSessionMemory: 1_000 });
  cleanUp(async () => session.destroy());
  session.on("error", () => {});
  const statuses = new Map<string, number>();
  const told = (headers: Readonly<Record<string, unknown>>): void => {
    const code = headers["grpc-status"];
    if (code !== undefined) statuses.set(String(code), (statuses.get(String(code)) ?? 0) + 1);
  };
  return {
    session,
    closed: new Promise((resolve) => session.on("close", () => resolve())),
    statuses,
    begin: (path, token) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      });
      stream.on("error", () => {});
      stream.on("response", told);
      stream.on("trailers", told);
      stream.resume();
      return stream;
    },
  };
}

/** All of a large message but its last byte. */
function sendMost(stream: ClientHttp2Stream): void {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(MESSAGE_BYTES, 1);
  stream.write(head);
  stream.write(Buffer.alloc(MESSAGE_BYTES - 1));
}

const { putBlob: putting, getBlob: getting } = serviceDefinition(pb.WorkerService);

function putBlob(port: number, bytes: Buffer, token: string): Promise<void> {
  const { path, requestSerialize, responseDeserialize } = putting;
  return new Promise((resolve, reject) => {
    const client = connectTo(port);
    const metadata = tokenMetadata(token);
    const call = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, metadata, (error) =>
      error === null ? resolve() : reject(error),
    );
    const blob = { digest: blobRefOf(bytes).digest, sizeBytes: BigInt(bytes.length) };
    for (const [index, chunk] of [...chunksOf(bytes)].entries()) {
      call.write(create(pb.PutBlobRequestSchema, { chunk, ...(index === 0 ? { blob } : {}) }));
    }
    call.end();
  });
}

const requestOf = (bytes: Buffer): pb.GetBlobRequest =>
  create(pb.GetBlobRequestSchema, { blob: { digest: blobRefOf(bytes).digest, sizeBytes: BigInt(bytes.length) } });

/** How many bytes come. */
async function getBlob(port: number, bytes: Buffer, token: string): Promise<number> {
  const { path, requestSerialize, responseDeserialize } = getting;
  const metadata = tokenMetadata(token);
  const client = connectTo(port);
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, requestOf(bytes), metadata);
  let length = 0;
  for await (const { chunk } of call as AsyncIterable<pb.GetBlobResponse>) length += chunk.length;
  return length;
}

/** Asks for it many times, and takes nothing. */
function leaveBlobs(raw: Raw, bytes: Buffer, token: string): void {
  const message = getting.requestSerialize(requestOf(bytes));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  for (let index = 0; index < 50; index++) {
    const stream = raw.begin(getting.path, token);
    stream.pause();
    stream.end(Buffer.concat([head, message]));
  }
}

it("who has no key is told so before anything of his message is read, and has his connection cut if he goes on", async () => {
  const plane = await open();
  const raw = connectRaw(plane.port);
  for (let index = 0; index < 50; index++) sendMost(raw.begin(clientMethods.start.path));
  await until(async () => raw.statuses.get(String(status.UNAUTHENTICATED)) === 50);
  for (let index = 0; index < 60; index++) raw.begin(clientMethods.start.path);
  await raw.closed;
});

it("a connection has so many streams at most", async () => {
  const plane = await open();
  const { session } = connectRaw(plane.port);
  const { maxConcurrentStreams } = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
    session.on("remoteSettings", resolve),
  );
  expect(maxConcurrentStreams).toBe(1_000);
});

it("one who sends slowly keeps nobody else waiting, and not those of his own that are streams", async () => {
  const plane = await open();
  const raw = connectRaw(plane.port);
  for (let index = 0; index < 100; index++) sendMost(raw.begin(clientMethods.start.path, "one"));
  await setTimeout(500);
  await registerFlows(connectTo(plane.port), "default", "two");
  const worker = await new RawWorker(plane.port, { token: "one" }).open();
  expect(worker.ended).toBeNull();
  raw.session.destroy();
  // Whoever has gone leaves his place.
  await registerFlows(connectTo(plane.port), "default", "one");
});

/** Opens connections with requests of headers alone, and opens them again when they are cut. */
function holdPlaces(port: number, token: string): void {
  let isOver = false;
  const hold = (): void => {
    if (isOver) return;
    const raw = connectRaw(port);
    for (let index = 0; index < 64; index++) raw.begin(clientMethods.cancel.path, token);
    void raw.closed.then(hold);
  };
  cleanUp(async () => void (isOver = true));
  hold();
}

it("all keys of one namespace together keep no other caller waiting", async () => {
  const ofOne = ["a1", "a2", "a3", "a4"].map((token) => ({ token, namespace: "a" }));
  const plane = await open({ tokens: [...ofOne, { token: "b", namespace: "b" }] });
  for (const { token } of ofOne) for (let time = 0; time < 2; time++) holdPlaces(plane.port, token);
  await setTimeout(500);
  const before = performance.now();
  await registerFlows(connectTo(plane.port), "b", "b");
  expect(performance.now() - before).toBeLessThan(15_000);
});

it("requests of which nothing comes do not hold places for long that others wait for, and are left alone while nobody does", async () => {
  const ofMany = ["a", "b", "c"].flatMap((namespace) =>
    ["1", "2"].map((number) => ({ token: `${namespace}${number}`, namespace })),
  );
  const plane = await open({ tokens: [...ofMany, { token: "d", namespace: "d" }, { token: "all" }] });
  const alone = connectRaw(plane.port);
  alone.begin(clientMethods.cancel.path, "all");
  let isClosed = false;
  void alone.closed.then(() => (isClosed = true));
  await setTimeout(2_600);
  expect(isClosed).toBe(false);
  for (const { token } of ofMany) holdPlaces(plane.port, token);
  await setTimeout(500);
  const before = performance.now();
  await registerFlows(connectTo(plane.port), "d", "d");
  expect(performance.now() - before).toBeLessThan(15_000);
  await alone.closed;
});

it("anybody may ask for the health, and is answered whatever others begin and do not end, who lose their connections", async () => {
  const plane = await open();
  const probe = async (): Promise<void> => {
    const raw = connectRaw(plane.port);
    raw.begin(CHECK).end(NOTHING);
    await until(async () => raw.statuses.size > 0);
    expect([...raw.statuses.keys()]).toEqual([String(status.OK)]);
    raw.session.destroy();
  };
  const slow = connectRaw(plane.port);
  for (let index = 0; index < 40; index++) sendMost(slow.begin(CHECK));
  await probe();
  await slow.closed;
  for (let time = 0; time < 10; time++) {
    const others = connectRaw(plane.port);
    for (let index = 0; index < 33; index++) others.begin(CHECK);
    await probe();
    await setTimeout(100);
    await probe();
  }
});

it("few may watch the health at one time", async () => {
  const plane = await open();
  const watching = connectRaw(plane.port);
  const watch = ({ begin }: Raw): Promise<unknown> =>
    new Promise((resolve) => {
      const stream = begin(WATCH);
      stream.on("data", resolve).on("close", resolve);
      stream.end(NOTHING);
    });
  for (let index = 0; index < 110; index++) await watch(watching);
  expect(watching.statuses.get(String(status.UNAVAILABLE))).toBe(10);
  watching.session.destroy();
  const again = connectRaw(plane.port);
  await watch(again);
  expect(again.statuses.size).toBe(0);
});

it("large values that nobody takes keep no others waiting, nor the database, and who asks for them is cut off", async () => {
  const namespaces = ["a", "b"].map((namespace) => ({ token: namespace, namespace }));
  const plane = await open({ tokens: namespaces });
  const bytes = Buffer.alloc(5_000_000, 97);
  for (const token of ["a", "b"]) await putBlob(plane.port, bytes, token);
  const raw = connectRaw(plane.port);
  leaveBlobs(raw, bytes, "a");
  leaveBlobs(connectRaw(plane.port), bytes, "a");
  await setTimeout(1_000);
  await registerFlows(connectTo(plane.port), "b", "b");
  expect(await getBlob(plane.port, bytes, "b")).toBe(bytes.length);
  await raw.closed;
  expect(await getBlob(plane.port, bytes, "b")).toBe(bytes.length);
});

it("requests are limited as those of REST, for each who asks; what workers say over their streams is not", async () => {
  const plane = await open({ rate: { perSecond: 0.001, burst: 3 } });
  const client = connectTo(plane.port);
  const cancel = async (): Promise<string> => {
    const request = create(pb.CancelRequestSchema, { namespace: "default", runId: "x" });
    return ask(client, clientMethods.cancel, request, "one").then(
      () => "done",
      (error: { code: string }) => error.code,
    );
  };
  const codes = [];
  for (let time = 0; time < 5; time++) codes.push(await cancel());
  expect(new Set(codes.slice(0, 3)).has("RateLimited")).toBe(false);
  expect(codes.slice(3)).toEqual(["RateLimited", "RateLimited"]);
  await registerFlows(client, "default", "two");
  const worker = await new RawWorker(plane.port, { token: "one" }).open();
  expect(worker.ended).toBeNull();
});

it("a client has many streams on one connection", async () => {
  const plane = await open();
  const client = connectTo(plane.port);
  const { wait } = clientMethods;
  const ended: unknown[] = [];
  for (let index = 0; index < 300; index++) {
    const { path, requestSerialize, responseDeserialize } = wait;
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, tokenMetadata("one"));
    stream.on("error", (error) => ended.push(error));
    stream.on("data", () => {});
    stream.write(waitRequestToProto({ namespace: "default", runIds: [] }));
  }
  await registerFlows(client, "default", "one");
  expect(ended).toEqual([]);
});

it("connections on which nobody says who he is end, with TLS and without", async () => {
  const tls = { key: testKey, certificate: testCertificate };
  const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
  const [secure, plain] = [await open({ tls, listen }), await open()];
  const endsAfter = (port: number, text = ""): Promise<number> => {
    const before = performance.now();
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    cleanUp(async () => void socket.destroy());
    socket.on("error", () => {});
    socket.resume();
    return new Promise((resolve) => socket.on("close", () => resolve(performance.now() - before)));
  };
  const ports = [secure.port, secure.httpPort!, plain.port];
  const halves = ports.flatMap((port) => [endsAfter(port), endsAfter(port, "\u0016\u0003\u0001")]);
  const idle = connectRaw(plain.port);
  for (const afterMs of await Promise.all(halves)) expect(afterMs).toBeLessThan(14_000);
  await idle.closed;
});
