import { EventEmitter } from "node:events";
import { Metadata } from "@grpc/grpc-js";
import { pb } from "@cairnjs/protocol";
import { describe, expect, it } from "vitest";
import { testAccess } from "../support/test-access.ts";
import { ANYONE } from "../../src/access/caller.ts";
import { isThisMachine, type WorkCall, WorkStream } from "../../src/grpc/work-stream.ts";
import { EngineError } from "../../src/library/engine-error.ts";
import { action, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const NEEDING = { ...action("mail.send"), secrets: ["smtp-password"] };

describe("secrets of calls", () => {
  it("are in the frame that is sent, those of the namespace, and of no other call", async () => {
    const test = new TestHub();
    test.secrets.set("default/smtp-password", "hunter2").set("other/smtp-password", "no");
    const worker = test.join({ workerId: "w-1", actions: [NEEDING, action("mail.count")] });
    await worker.credit(10);
    test.hub.dispatch("owner", [testDispatch({ action: "mail.send" }), testDispatch({ action: "mail.count" })]);
    await settled();
    const sent = worker.running.toSorted((one, other) => one.action.localeCompare(other.action));
    expect(sent.map((call) => [call.action, call.secrets])).toEqual([
      ["mail.count", undefined],
      ["mail.send", [{ name: "smtp-password", value: "hunter2" }]],
    ]);
    // What waits, or is out, has none.
    expect(
      JSON.stringify([...test.hub.sessions].map(({ calls }) => [...calls].map((call) => call.dispatch))),
    ).not.toContain("hunter2");
  });

  it("are not sent to who could be listened to: the call fails once, with what to do", async () => {
    const test = new TestHub();
    test.secrets.set("default/smtp-password", "hunter2");
    const worker = test.join({ workerId: "w-1", actions: [NEEDING] });
    worker.isPrivate = false;
    await worker.credit(10);
    test.hub.dispatch("owner", [testDispatch({ action: "mail.send" })]);
    await settled();
    expect(worker.running).toEqual([]);
    expect(test.reports).toHaveLength(1);
    expect(test.reports[0]!.outcome).toMatchObject({ kind: "error", retry: null });
    expect(test.reports[0]!.outcome.value).toMatch(/SecretNotSent.*TLS.*CAIRN_TLS_CERT/);
    // Its credit is free for others.
    test.hub.dispatch(
      "owner",
      Array.from({ length: 10 }, () => testDispatch({ action: "mail.send" })),
    );
    await settled();
    expect(test.reports).toHaveLength(11);
  });

  it("that are missing fail the call, those that cannot be read are tried, and a database that is away is waited for", async () => {
    let answer: () => Promise<ReadonlyMap<string, string>> = async () => new Map();
    const test = new TestHub({ secrets: () => answer() });
    const retry = { attempts: 7, baseMs: 1, capMs: 2 };
    const worker = test.join({ workerId: "w-1", actions: [{ ...NEEDING, retry }] });
    await worker.credit(10);
    const outcomeOf = async (): Promise<{ readonly value: string; readonly retry: unknown } | undefined> => {
      test.reports.length = 0;
      test.hub.dispatch("owner", [testDispatch({ action: "mail.send" })]);
      await settled();
      return test.reports[0]?.outcome;
    };
    expect(await outcomeOf()).toMatchObject({ value: expect.stringContaining("SecretMissing"), retry: null });
    answer = async () => Promise.reject(new EngineError("WrongMasterKey", "another one"));
    expect(await outcomeOf()).toMatchObject({ value: expect.stringContaining("another one"), retry });
    answer = async () => Promise.reject(new EngineError("Unavailable", "away"));
    expect(await outcomeOf()).toBeUndefined();
    answer = async () => new Map([["smtp-password", "back"]]);
    await test.pass(1_500);
    expect(worker.running.map(({ secrets }) => secrets)).toEqual([[{ name: "smtp-password", value: "back" }]]);
  });
});

describe("a stream", () => {
  it.each([
    ["127.0.0.1:4711", true],
    ["[::1]:4711", true],
    ["[::ffff:127.0.0.1]:4711", true],
    ["127.8.9.1:1", true],
    ["unix:/run/cairn.sock", true],
    ["10.0.0.7:4711", false],
    ["[fe80::1]:4711", false],
    ["[::ffff:10.0.0.7]:4711", false],
    ["127.0.0.1.example.com:80", false],
    ["128.0.0.1:127", false],
    ["unknown", false],
    ["", false],
  ])("from %s: within this machine is %s", (peer, isIt) => {
    expect(isThisMachine(peer)).toBe(isIt);
  });

  it.each([
    ["10.0.0.7:4711", false, false],
    ["10.0.0.7:4711", true, true],
    ["127.0.0.1:4711", false, true],
  ])("of a worker at %s, with TLS %s, has secrets: %s", async (peer, isSecure, hasThem) => {
    const test = new TestHub();
    test.secrets.set("default/smtp-password", "hunter2");
    const written: Buffer[] = [];
    const call = Object.assign(new EventEmitter(), {
      metadata: new Metadata(),
      getPeer: () => peer,
      getAuthContext: () => ({}),
      pause: () => {},
      resume: () => {},
      end: () => {},
      write: (bytes: Buffer, done: () => void) => {
        written.push(bytes);
        done();
      },
    }) as unknown as WorkCall;
    const stream = new WorkStream(call, {
      hub: test.hub as never,
      access: testAccess({ security: false }),
      caller: ANYONE,
      isSecure,
      ownBlobs: () => null,
      minProtocolVersion: 1,
      warn: () => {},
      refused: () => Promise.resolve(),
      connected: () => {},
    });
    const worker = test.join({ workerId: "unused" });
    const { workerFrameToProto } = await import("@cairnjs/protocol");
    const hello = { ...worker.hello, workerId: "w-1", actions: [NEEDING] };
    call.emit("data", workerFrameToProto({ hello, credits: { received: 0, free: 5 } }) satisfies pb.WorkRequest);
    await settled();
    test.hub.dispatch("owner", [testDispatch({ action: "mail.send" })]);
    await settled();
    expect(Buffer.concat(written).includes("hunter2")).toBe(hasThem);
    expect(test.reports).toHaveLength(hasThem ? 0 : 1);
    expect(stream.isPrivate).toBe(hasThem);
    call.emit("close");
  });
});
