import { Writable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { pb } from "@cairnjs/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { BlobGets, type GetCall } from "../../src/grpc/blob-gets.ts";
import { storePlaces } from "../../src/grpc/blob-transfer.ts";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { Refused } from "../../src/hub/refused.ts";

const MB = 1024 * 1024;
const WINDOW_MS = 10_000;

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
};

/** A stream whose other side takes chunks when it is told to. */
class Reader extends Writable {
  cancelled = false;
  readonly request: pb.GetBlobRequest;
  received = 0;
  #next: (() => void) | null = null;
  #isOpen = false;

  constructor(bytes: number) {
    super({ objectMode: true });
    this.request = create(pb.GetBlobRequestSchema, { blob: { digest: "0".repeat(64), sizeBytes: BigInt(bytes) } });
  }

  override _write({ chunk }: pb.GetBlobResponse, _encoding: string, done: () => void): void {
    this.#next = () => {
      this.#next = null;
      this.received += chunk.length;
      done();
    };
    if (this.#isOpen) this.#next();
  }

  takeOne(): void {
    this.#next?.();
  }

  leave(): void {
    this.cancelled = true;
    this.emit("cancelled");
  }

  takeAll(): void {
    this.#isOpen = true;
    this.#next?.();
  }
}

/** What is got, and how it ends, of blobs of so many bytes. */
class Bench {
  readonly gets = new BlobGets(storePlaces());
  /** Which are being read from the store, and what lets them. */
  readonly reading: (() => void)[] = [];
  readonly ends = new Map<Reader, string>();
  readonly cuts: Reader[] = [];
  readonly #isSlow: boolean;

  constructor(isSlow = false) {
    this.#isSlow = isSlow;
  }

  get(
    tenant: string,
    { bytes = MB, said = bytes, caller = tenant, watch = () => () => {} }: Partial<GetOptions> = {},
  ): Reader {
    const reader = new Reader(said);
    const blobs = {
      get: async () => {
        if (this.#isSlow) await new Promise<void>((resolve) => this.reading.push(resolve));
        return Buffer.alloc(bytes);
      },
    } as unknown as BlobStore;
    const cut = (): void => {
      this.cuts.push(reader);
      reader.leave();
    };
    this.gets.get(reader as unknown as GetCall, { who: { tenant, caller }, blobs, watch, cut }).then(
      () => this.ends.set(reader, "sent"),
      (error: { code: string }) => this.ends.set(reader, error.code),
    );
    return reader;
  }
}

interface GetOptions {
  readonly bytes: number;
  readonly said: number;
  readonly caller: string;
  readonly watch: (end: (why: Refused) => void) => () => void;
}

function steppedTime(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

it("few are read from the store at one time, those of one caller after those of another", async () => {
  const bench = new Bench(true);
  for (let time = 0; time < 50; time++) bench.get("one").takeAll();
  await settled();
  expect(bench.reading).toHaveLength(2);
  const other = bench.get("two");
  other.takeAll();
  for (let turn = 0; turn < 2; turn++) {
    for (const goOn of bench.reading.splice(0)) goOn();
    await settled();
  }
  expect(bench.ends.get(other)).toBe("sent");
  expect(bench.ends.size).toBeLessThan(10);
});

it("a caller, and the callers of a namespace, have so many bytes on their way, and others do not wait for them", async () => {
  const bench = new Bench();
  const ofOne = Array.from({ length: 20 }, () => bench.get("one", { bytes: 8 * MB }));
  const ofTwo = Array.from({ length: 40 }, (_, index) =>
    bench.get("two", { bytes: 8 * MB, caller: `key ${index % 3}` }),
  );
  const other = bench.get("three");
  other.takeAll();
  await settled();
  const begun = (readers: readonly Reader[]): number =>
    readers.filter(({ writableLength }) => writableLength > 0).length;
  expect([begun(ofOne), begun(ofTwo), bench.ends.get(other)]).toEqual([8, 16, "sent"]);
  // One that is taken makes room for the next.
  for (const reader of ofOne) reader.takeAll();
  await settled();
  await vi.waitFor(() => expect(ofOne.map((reader) => bench.ends.get(reader))).toEqual(ofOne.map(() => "sent")));
});

it("who says that a blob is longer than any has no more room than others, and is told", async () => {
  const bench = new Bench();
  const liar = bench.get("one", { said: 2 ** 40 });
  const other = bench.get("two");
  other.takeAll();
  await settled();
  expect([bench.ends.get(liar), bench.ends.get(other)]).toEqual(["InvalidMessage", "sent"]);
});

it("who takes nothing is cut off; who takes little is not, unless others wait for the room", async () => {
  steppedTime();
  const bench = new Bench();
  const silent = bench.get("one");
  const slow = bench.get("two", { bytes: 60 * MB });
  const pass = async (): Promise<void> => {
    for (let time = 0; time < 5; time++) {
      await settled();
      vi.advanceTimersByTime(WINDOW_MS / 2);
      slow.takeOne();
    }
    await settled();
  };
  await pass();
  expect([bench.ends.get(silent), bench.cuts]).toEqual(["Unavailable", [silent]]);
  expect(bench.ends.get(slow)).toBeUndefined();
});

it("who takes too little while others wait for the room is cut off", async () => {
  steppedTime();
  const bench = new Bench();
  const slow = ["one", "one", "two", "two"].map((tenant, index) =>
    bench.get(tenant, { bytes: 64 * MB, caller: `key ${index}` }),
  );
  const pass = async (): Promise<void> => {
    for (let time = 0; time < 8; time++) {
      await settled();
      vi.advanceTimersByTime(WINDOW_MS / 2);
      for (const reader of slow) reader.takeOne();
    }
    await settled();
  };
  await pass();
  expect(bench.ends.size).toBe(0);
  const other = bench.get("three");
  other.takeAll();
  await pass();
  expect(bench.ends.get(other)).toBe("sent");
  expect(bench.cuts.length).toBeGreaterThan(0);
});

it("one ends with the key that it was begun with, whether it is sent or waits, and has its room until what was sent is taken", async () => {
  const bench = new Bench();
  const revoked: ((why: Refused) => void)[] = [];
  const watch = (end: (why: Refused) => void): (() => void) => {
    revoked.push(end);
    return () => {};
  };
  const sent = bench.get("one", { bytes: 64 * MB, watch });
  const waiting = bench.get("one", { bytes: 64 * MB, watch });
  await settled();
  for (const end of revoked) end(new Refused("Unauthenticated", "The key is over"));
  const next = bench.get("one");
  next.takeAll();
  await settled();
  expect([sent, waiting, next].map((reader) => bench.ends.get(reader))).toEqual([
    undefined,
    "Unauthenticated",
    undefined,
  ]);
  sent.takeAll();
  await settled();
  expect([sent, next].map((reader) => bench.ends.get(reader))).toEqual(["Unauthenticated", "sent"]);
  expect(sent.received).toBeLessThan(2 * MB);
});

it("whoever goes away leaves his room, and no listeners were added by waiting for him", async () => {
  const bench = new Bench();
  const reader = bench.get("one", { bytes: 64 * MB });
  await settled();
  const before = reader.listenerCount("cancelled");
  for (let time = 0; time < 50; time++) {
    reader.takeOne();
    await new Promise(setImmediate);
  }
  expect(reader.received).toBe(50 * 64 * 1024);
  expect(reader.listenerCount("cancelled")).toBe(before);
  reader.leave();
  const next = bench.get("one", { bytes: 64 * MB });
  next.takeAll();
  await vi.waitFor(() => expect(bench.ends.get(next)).toBe("sent"));
  expect(bench.ends.get(reader)).toBe("Unavailable");
});
