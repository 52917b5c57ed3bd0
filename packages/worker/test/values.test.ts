import { blobRefOf } from "@cairnjs/protocol";
import { action, currentCall } from "cairnjs";
import { describe, expect, it } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

const LONG = "ä".repeat(200_000);
action("default.repeat", async (text: string, times: number) => text.repeat(times));
action("default.length", async (text: string) => text.length);
const ends: (() => void)[] = [];
action("default.tells", async () => {
  currentCall().heartbeat(LONG);
  await new Promise<void>((end) => ends.push(end));
});

describe("values over 256 KB", () => {
  it("travel as blobs, both ways", async () => {
    const fake = await fakeControlPlane();
    const bytes = Buffer.from(JSON.stringify([LONG]));
    const blob = blobRefOf(bytes);
    fake.blobs.set(blob.digest, bytes);
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.length", [], { call: "1.0", args: { blob } })] });
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.value).toEqual({ json: "200000" });
    stream.send({ dispatches: [dispatchOf("default.repeat", ["ä", 200_000], { call: "2.0" })] });
    await until(() => stream.outcomes.length === 2);
    const { value } = stream.outcomes[1]!;
    if (!("blob" in value)) throw new Error("It came as it is");
    expect(Buffer.from(fake.blobs.get(value.blob.digest)!).toString()).toBe(JSON.stringify(LONG));
  });

  it("that cannot be put for a while are put again", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    fake.blobFailures = 2;
    stream.send({ dispatches: [dispatchOf("default.repeat", ["x", 300_000])] });
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.kind).toBe("result");
  });

  it("are heard of while they are put: a call whose result is large is not taken for lost", async () => {
    const fake = await fakeControlPlane({ welcome: { heartbeatIntervalMs: 20 } });
    testWorker(fake.url);
    const stream = await fake.stream();
    fake.blobFailures = 1_000;
    stream.send({ dispatches: [dispatchOf("default.repeat", ["x", 300_000])] });
    await until(() => fake.blobFailures < 1_000);
    const beats = () => stream.frames.flatMap(({ heartbeats = [] }) => heartbeats).length;
    const before = beats();
    await until(() => beats() >= before + 3, "heartbeats after the handler has ended");
    expect(stream.outcomes).toEqual([]);
    fake.blobFailures = 0;
    await until(() => stream.outcomes.length === 1);
  });

  it("that are not there fail the call, which is not tried again", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    const blob = { digest: "0".repeat(64), bytes: 5 };
    stream.send({ dispatches: [dispatchOf("default.length", [], { args: { blob } })] });
    const [outcome] = await until(() => stream.outcomes.length > 0 && stream.outcomes);
    expect(outcome).toMatchObject({ kind: "error", retry: null });
    expect(JSON.stringify(outcome!.value)).toContain("There is no blob");
  });

  it("that are other bytes than they should be are asked for again", async () => {
    const fake = await fakeControlPlane();
    const bytes = Buffer.from(JSON.stringify(["right"]));
    const blob = blobRefOf(bytes);
    fake.blobs.set(blob.digest, Buffer.from(JSON.stringify(["wrong"])));
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.length", [], { args: { blob } })] });
    await until(() => fake.blobReads > 1);
    expect(stream.outcomes).toEqual([]);
    fake.blobs.set(blob.digest, bytes);
    await until(() => stream.outcomes.length === 1);
    expect(stream.outcomes[0]!.value).toEqual({ json: "5" });
  });

  it("of heartbeats too", async () => {
    const fake = await fakeControlPlane();
    testWorker(fake.url);
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.tells", [])] });
    const beats = () => stream.frames.flatMap(({ heartbeats = [] }) => heartbeats);
    const [beat] = await until(() => beats().length > 0 && beats());
    expect(beat!.details).toEqual({ blob: blobRefOf(Buffer.from(JSON.stringify(LONG))) });
    ends.shift()!();
  });
});
