import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cancelRequestFromProto,
  controlPlaneFrameFromProto,
  helloFromProto,
  InvalidMessage,
  messageFromBytes,
  pb,
  registerRequestFromProto,
  serviceDefinition,
  signalRequestFromProto,
  startRequestFromProto,
  startResponseFromProto,
  valueFromProto,
  waitRequestFromProto,
  waitResponseFromProto,
  workerFrameFromProto,
} from "../src/index.ts";
import { NOUNS } from "./noun-table.ts";

const worker = serviceDefinition(pb.WorkerService);
const client = serviceDefinition(pb.ClientService);

/** Each way in: from bytes to a noun, or an error that says why not. */
const WAYS_IN: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  work: (bytes) => workerFrameFromProto(worker.work.requestDeserialize(bytes)),
  worked: (bytes) => controlPlaneFrameFromProto(worker.work.responseDeserialize(bytes)),
  register: (bytes) => registerRequestFromProto(client.register.requestDeserialize(bytes)),
  start: (bytes) => startRequestFromProto(client.start.requestDeserialize(bytes)),
  started: (bytes) => startResponseFromProto(client.start.responseDeserialize(bytes), 1),
  wait: (bytes) => waitRequestFromProto(client.wait.requestDeserialize(bytes)),
  waited: (bytes) => waitResponseFromProto(client.wait.responseDeserialize(bytes)),
  signal: (bytes) => signalRequestFromProto(client.signal.requestDeserialize(bytes)),
  cancel: (bytes) => cancelRequestFromProto(client.cancel.requestDeserialize(bytes)),
};

function expectNoCrash(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidMessage)) throw error;
  }
}

describe("hostile messages are refused, or pass, and nothing else", () => {
  it("random bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(WAYS_IN)), fc.uint8Array({ maxLength: 200 }), (way, bytes) => {
        expectNoCrash(() => way(Buffer.from(bytes)));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(NOUNS.map((each) => [each.message.name, each] as const))(
    "%s with bytes changed: what passes is a right noun",
    (_, each) => {
      const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
      fc.assert(
        fc.property(each.arbitrary, changes, (noun, changed) => {
          const bytes = toBinary(each.message, each.toProto(noun));
          if (bytes.length > 0) for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
          expectNoCrash(() => {
            const read = each.fromProto(messageFromBytes(each.message, bytes));
            if (!each.isValid(read)) expect.fail(`passes, and is none: ${JSON.stringify(read)}`);
          });
        }),
        { numRuns: 300 },
      );
    },
  );

  const hello = {
    protocolVersion: 1,
    workerId: "w",
    namespace: "default",
    capacity: 1,
    language: "c",
    libraryVersion: "1",
  };
  const refused = (changes: Partial<typeof hello>): string => {
    const message = create(pb.HelloSchema, { ...hello, ...changes });
    try {
      return JSON.stringify(helloFromProto(message));
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("NUL and half of a surrogate pair in names", () => {
    const unstorable = "hello.worker_id has a character that cannot be stored: NUL, or half of a surrogate pair";
    expect(refused({ workerId: "a\0b" })).toBe(unstorable);
    expect(refused({ workerId: "\ud800" })).toBe(unstorable);
    expect(refused({ workerId: "\udc00a" })).toBe(unstorable);
    expect(refused({ workerId: "😀" })).toContain('"workerId":"😀"');
  });

  it("bytes that are no UTF-8, half of a surrogate pair among them", () => {
    const bytes = new BinaryWriter()
      .tag(2, WireType.LengthDelimited)
      .bytes(Uint8Array.of(0xed, 0xa0, 0x80))
      .finish();
    expect(() => messageFromBytes(pb.HelloSchema, bytes)).toThrow("cairn.v1.Hello cannot be read: The encoded data");
  });

  it("texts of 10 MB", () => {
    const long = "x".repeat(10 * 1024 * 1024);
    expect(refused({ workerId: long })).toBe("hello.worker_id must be a text of 1 to 500 characters");
    expect(refused({ namespace: long })).toContain("hello.namespace must have");
    const inline = (json: string): unknown =>
      valueFromProto(create(pb.ValueSchema, { content: { case: "json", value: json } }));
    const tooLong = "value.json has more than 262144 bytes: such a text is put as a blob, and referred to";
    expect(() => inline(`"${long}"`)).toThrow(tooLong);
    expect(inline(`"${"x".repeat(256 * 1024 - 2)}"`)).toHaveProperty("json");
    expect(() => inline(`"${"x".repeat(256 * 1024 - 1)}"`)).toThrow(tooLong);
    // Bytes count, not characters.
    expect(() => inline(`"${"é".repeat(128 * 1024)}"`)).toThrow(tooLong);
    expect(() => inline("[".repeat(256 * 1024))).toThrow("value.json is not JSON");
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(inline(deep)).toEqual({ json: deep });
  });

  it("lists that are too long, before their items are looked at", () => {
    const frame = create(pb.WorkRequestSchema, { outcomes: Array.from({ length: 1_001 }, () => ({})) });
    expect(() => workerFrameFromProto(frame)).toThrow("outcomes must have at most 1000 items");
    const actions = Array.from({ length: 10_001 }, () => ({}));
    expect(() => helloFromProto(create(pb.HelloSchema, { ...hello, actions }))).toThrow(
      "hello.actions must have at most 10000 items",
    );
  });

  it("numbers beyond what a number can hold", () => {
    const credits = create(pb.CreditsSchema, { received: 2n ** 53n, free: 1 });
    expect(() => workerFrameFromProto(create(pb.WorkRequestSchema, { credits }))).toThrow(
      "credits.received must be a whole number from 0 to 9007199254740991",
    );
  });

  it("unknown fields are left behind", () => {
    const later = new BinaryWriter().tag(999, WireType.LengthDelimited).string("later").finish();
    const bytes = Buffer.concat([toBinary(pb.HelloSchema, create(pb.HelloSchema, hello)), later]);
    const frame = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(bytes).finish();
    const message = worker.work.requestDeserialize(Buffer.from(frame));
    expect(message.hello?.$unknown).toBeUndefined();
    expect(workerFrameFromProto(message)).toStrictEqual({ hello: { ...hello, prefixes: [], actions: [] } });
  });

  it("groups within groups", () => {
    const nested = Buffer.alloc(1_000_000, (15 << 3) | WireType.StartGroup);
    for (const way of Object.values(WAYS_IN)) expect(() => way(nested)).toThrow(InvalidMessage);
  });
});
