import type { Client, ClientReadableStream, ServiceError } from "@grpc/grpc-js";
import { type pb, watchChunksRequestToProto } from "@cairnjs/protocol";
import { describe, expect, it } from "vitest";
import { openWorker } from "../support/open-worker.ts";
import { startPlane } from "../support/plane-process.ts";
import { openPlane, untilRun } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import {
  clientMethods,
  connectTo,
  type Ended,
  endedBy,
  RawWorker,
  refOf,
  registerFlows,
  startRun,
  tokenMetadata,
} from "../support/test-worker.ts";
import { counting, type Streaming, talking, talks } from "../workflows/streaming.ts";

const talk = (key: string): Promise<Streaming> => until(async () => talks.find((each) => each.key === key));

/** Known once the worker has registered it. */
const started = (client: Client, type: string, input: unknown): Promise<string> =>
  until(async () => startRun(client, type, input).catch(() => undefined));

/** Someone who watches a run by gRPC. */
class Watcher {
  readonly chunks: pb.WatchChunksResponse[] = [];
  ended: Ended | null = null;
  readonly #stream: ClientReadableStream<pb.WatchChunksResponse>;

  constructor(
    client: Client,
    runId: string,
    { after = null, namespace = "default" }: { after?: string | null; namespace?: string } = {},
  ) {
    const { path, requestSerialize, responseDeserialize } = clientMethods.watchChunks;
    const request = watchChunksRequestToProto({ namespace, runId, after });
    this.#stream = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      tokenMetadata(),
    );
    this.#stream.on("data", (chunk: pb.WatchChunksResponse) => this.chunks.push(chunk));
    this.#stream.on("error", (error: ServiceError) => (this.ended ??= endedBy(error)));
    this.#stream.on("end", () => (this.ended ??= { status: 0, code: undefined, details: "" }));
  }

  get values(): unknown[] {
    return this.chunks.map(({ json }) => JSON.parse(json) as unknown);
  }

  leave(): void {
    this.#stream.cancel();
  }

  end(): Promise<Ended> {
    return until(async () => this.ended ?? undefined);
  }
}

describe("what workers stream", () => {
  it("is whole and in order while control planes are killed and come back, wherever one watches", async () => {
    const bed = await testBed();
    const doomed = await startPlane(bed.url);
    const survivor = await openPlane(bed);
    const lines: string[] = [];
    openWorker(doomed.port, ["streaming."], { log: (line) => lines.push(line) });
    const id = await started(connectTo(doomed.port), talking.name, "long");
    const { stream, end } = await talk("long");
    await until(async () => lines.some((line) => line.includes(survivor.id)));
    const watcher = new Watcher(connectTo(survivor.port), id);
    let count = 0;
    const say = async (times: number): Promise<void> => {
      for (let index = 0; index < times; index++) await stream({ line: (count += 1), text: "x".repeat(2_000) });
    };
    await say(100);
    await until(async () => watcher.chunks.length > 0);
    // In the midst of it: some are with the one that is killed, and not written.
    const speaking = say(400);
    await doomed.kill("SIGKILL");
    await speaking;
    const back = await startPlane(bed.url, { port: doomed.port });
    const returned = new Watcher(connectTo(back.port), id, { after: watcher.chunks[10]!.cursor });
    await say(100);
    void stream("last");
    end("result");
    expect((await untilRun(bed, id, ({ status }) => status === "succeeded")).result).toBe("result");
    expect(await watcher.end()).toMatchObject({ status: 0 });
    expect(await returned.end()).toMatchObject({ status: 0 });
    const numbers = Array.from({ length: count + 1 }, (_, index) => index + 1);
    expect(watcher.chunks.map(({ number }) => number)).toEqual(numbers);
    expect(watcher.values.slice(0, -1).map((value) => (value as { line: number }).line)).toEqual(numbers.slice(0, -1));
    expect(watcher.values.at(-1)).toBe("last");
    expect(returned.chunks.map(({ number }) => number)).toEqual(numbers.slice(11));
    expect(new Set(watcher.chunks.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  it("a handler never runs far ahead of a database that does not take it", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    openWorker(plane.port, ["streaming."]);
    const id = await started(connectTo(plane.port), talking.name, "ahead");
    const { stream, end } = await talk("ahead");
    await bed.query("BEGIN");
    await bed.query("LOCK TABLE cairn.stream_chunks IN ACCESS EXCLUSIVE MODE");
    const taken = Array.from({ length: 20 }, () => stream("x".repeat(50_000)));
    let count = 0;
    for (const each of taken)
      each.then(
        () => (count += 1),
        () => {},
      );
    await until(async () => count === 5);
    await until(async () => (await bed.query("SELECT FROM pg_locks WHERE NOT granted")).length > 0);
    expect(count).toBe(5);
    await bed.query("COMMIT");
    await Promise.all(taken);
    end();
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    const watcher = new Watcher(connectTo(plane.port), id);
    await watcher.end();
    expect(watcher.chunks).toHaveLength(20);
  });

  it("whoever watches is answered with a code if he may not, and may leave at any time", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    openWorker(plane.port, ["streaming."]);
    const client = connectTo(plane.port);
    const id = await started(client, counting.name, { to: 2_000, text: "." });
    const nobodys = "01890a5d-ac96-774b-bcce-b302099a8057";
    expect(await new Watcher(client, nobodys).end()).toMatchObject({ code: "NotFound" });
    expect(await new Watcher(client, id, { namespace: "other" }).end()).toMatchObject({ code: "NotFound" });
    expect(await new Watcher(client, id, { after: "nothing" }).end()).toMatchObject({ code: "InvalidOption" });
    expect(await new Watcher(client, "no id").end()).toMatchObject({ code: "InvalidMessage" });
    const leaving = new Watcher(client, id);
    await until(async () => leaving.chunks.length > 0);
    leaving.leave();
    const staying = new Watcher(client, id);
    await staying.end();
    expect(staying.chunks).toHaveLength(2_000);
  });

  it("from a worker by hand: taken by number, once, refused when the call is not its own", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed);
    const client = connectTo(plane.port);
    await registerFlows(client);
    const worker = await new RawWorker(plane.port, { workerId: "w" }).open();
    const liar = await new RawWorker(plane.port, { workerId: "liar" }).open(0);
    const id = await startRun(client, "remote.waiting", "a");
    const call = await worker.call();
    const chunk = (number: number, json = `"${number}"`) => ({ ...refOf(call), number, json });
    worker.say({ chunks: [chunk(1), chunk(2)] });
    worker.say({ chunks: [chunk(2, '"again"'), chunk(3)] });
    const taken = () => worker.frames.flatMap(({ chunksTaken = [] }) => chunksTaken).at(-1)?.number;
    await until(async () => taken() === 3);
    liar.say({ chunks: [chunk(4)] });
    await until(async () => liar.cancels.length === 1);
    expect(liar.cancels[0]!.reason).toBe("NotOpen: the call was dispatched to another worker");
    worker.answer(call, '"done"');
    await untilRun(bed, id, ({ status }) => status === "succeeded");
    worker.say({ chunks: [chunk(4)] });
    await until(async () => worker.cancels.length === 1);
    const watcher = new Watcher(client, id);
    await watcher.end();
    expect(watcher.values).toEqual(["1", "2", "3"]);
    worker.say({ chunks: [chunk(5, "{")] });
    expect(await worker.end()).toMatchObject({ code: "InvalidMessage", details: "chunks[0].json is not JSON" });
    expect(liar.ended).toBe(null);
  });
});
