import { clearField, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cancelRequestFromProto,
  cancelRequestToProto,
  type ControlPlaneFrame,
  controlPlaneFrameFromProto,
  controlPlaneFrameToProto,
  helloFromProto,
  InvalidMessage,
  outcomeFromProto,
  pb,
  registerRequestFromProto,
  registerRequestToProto,
  runEndFromProto,
  signalRequestFromProto,
  signalRequestToProto,
  startRequestFromProto,
  startRequestToProto,
  startResponseFromProto,
  startResponseToProto,
  waitRequestFromProto,
  waitRequestToProto,
  waitResponseFromProto,
  waitResponseToProto,
  watchChunksRequestFromProto,
  watchChunksRequestToProto,
  type WorkerFrame,
  workerFrameFromProto,
  workerFrameToProto,
} from "../src/index.ts";
import * as arbitrary from "./arbitraries.ts";
import { NOUNS } from "./noun-table.ts";

const some = <T>(items: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(items, { minLength: 1, maxLength: 3 });
const isTrue = fc.constant(true as const);

describe("what is converted there and back", () => {
  it.each(NOUNS.map((each) => [each.message.name, each] as const))("%s is what it was", (_, each) => {
    fc.assert(
      fc.property(each.arbitrary, (noun) => {
        expect(each.isValid(noun)).toBe(true);
        const bytes = toBinary(each.message, each.toProto(noun));
        expect(each.fromProto(fromBinary(each.message, bytes))).toStrictEqual(noun);
      }),
    );
  });

  it("a frame of a worker is what it was", () => {
    const frames: fc.Arbitrary<WorkerFrame> = fc.record(
      {
        hello: arbitrary.hello,
        outcomes: some(arbitrary.outcome),
        heartbeats: some(arbitrary.heartbeat),
        inFlight: arbitrary.inFlight,
        chunks: some(arbitrary.chunk),
        credits: arbitrary.credits,
        draining: isTrue,
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(frames, (frame) => {
        const bytes = toBinary(pb.WorkRequestSchema, workerFrameToProto(frame));
        expect(workerFrameFromProto(fromBinary(pb.WorkRequestSchema, bytes))).toStrictEqual(frame);
      }),
    );
  });

  it("a frame of a control plane is what it was", () => {
    const frames: fc.Arbitrary<ControlPlaneFrame> = fc.record(
      {
        welcome: arbitrary.welcome,
        dispatches: some(arbitrary.dispatch),
        acknowledged: some(arbitrary.callRef),
        cancels: some(arbitrary.cancel),
        askInFlight: isTrue,
        chunksTaken: some(arbitrary.chunksTaken),
        backlog: arbitrary.backlog,
        controlPlanes: some(arbitrary.address),
        goodbye: isTrue,
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(frames, (frame) => {
        const bytes = toBinary(pb.WorkResponseSchema, controlPlaneFrameToProto(frame));
        expect(controlPlaneFrameFromProto(fromBinary(pb.WorkResponseSchema, bytes))).toStrictEqual(frame);
      }),
    );
  });

  it("requests of clients are what they were", () => {
    const { namespace } = arbitrary;
    const workflows = fc.array(arbitrary.registeredWorkflow, { maxLength: 2 });
    const actions = fc.array(arbitrary.registeredAction, { maxLength: 2 });
    fc.assert(
      fc.property(arbitrary.record({ namespace, workflows, actions }), (request) => {
        expect(registerRequestFromProto(registerRequestToProto(request))).toStrictEqual(request);
      }),
    );
    fc.assert(
      fc.property(namespace, some(arbitrary.startRun), some(arbitrary.startedRun), (tenant, runs, started) => {
        expect(startRequestFromProto(startRequestToProto(tenant, runs))).toStrictEqual({ namespace: tenant, runs });
        expect(startResponseFromProto(startResponseToProto(started), started.length)).toStrictEqual(started);
      }),
    );
    const runIds = fc.array(arbitrary.runId, { maxLength: 4 });
    const ends = fc.array(arbitrary.runEnd, { maxLength: 2 });
    const errors = fc.array(arbitrary.waitError, { maxLength: 2 });
    fc.assert(
      fc.property(arbitrary.record({ namespace, runIds }), arbitrary.record({ ends, errors }), (request, response) => {
        expect(waitRequestFromProto(waitRequestToProto(request))).toStrictEqual(request);
        expect(waitResponseFromProto(waitResponseToProto(response))).toStrictEqual(response);
      }),
    );
    const after = fc.option(fc.base64String({ minLength: 1 }), { nil: null });
    fc.assert(
      fc.property(arbitrary.record({ namespace, runId: arbitrary.runId, after }), (request) => {
        expect(watchChunksRequestFromProto(watchChunksRequestToProto(request))).toStrictEqual(request);
      }),
    );
    fc.assert(
      fc.property(namespace, arbitrary.signalRun, arbitrary.cancelRun, (tenant, signal, cancel) => {
        const signalled = { namespace: tenant, ...signal };
        expect(signalRequestFromProto(signalRequestToProto(signalled))).toStrictEqual(signalled);
        const cancelled = { namespace: tenant, ...cancel };
        expect(cancelRequestFromProto(cancelRequestToProto(cancelled))).toStrictEqual(cancelled);
      }),
    );
  });
});

describe("what is missing is named", () => {
  it.each(NOUNS.map((each) => [each.message.name, each] as const))("%s itself, and each of its fields", (_, each) => {
    expect(() => each.fromProto(undefined)).toThrow(`${each.name} is missing`);
    const wrong: string[] = [];
    for (const noun of fc.sample(each.arbitrary, { numRuns: 30, seed: 7 })) {
      for (const field of each.message.fields) {
        const message = fromBinary(each.message, toBinary(each.message, each.toProto(noun)));
        if (!reflect(each.message, message).isSet(field)) continue;
        clearField(message, field);
        const place = `${each.name}.${field.oneof?.name ?? field.name} is missing`;
        try {
          if (!each.isValid(each.fromProto(message))) wrong.push(`${place}: passes`);
        } catch (error) {
          if (!(error as Error).message.startsWith(place)) wrong.push(`${place}: ${(error as Error).message}`);
        }
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
  });

  const refused = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      if (error instanceof InvalidMessage) return error.message;
      throw error;
    }
    return "passes";
  };

  it("in words that say what to give", () => {
    const runId = "01890a5d-ac96-774b-bcce-b302099a8057";
    const hello = { protocolVersion: 1, workerId: "w", namespace: "default", capacity: 1, language: "c" };
    const call = { runId, call: "3.0", attempt: 1, incarnation: "11111111-1111-4111-8111-111111111111" };
    const messages = [
      refused(() => helloFromProto(create(pb.HelloSchema))),
      refused(() => helloFromProto(create(pb.HelloSchema, { ...hello, workerId: "" }))),
      refused(() => helloFromProto(create(pb.HelloSchema, { ...hello, namespace: "a b" }))),
      refused(() => helloFromProto(create(pb.HelloSchema, { ...hello, capacity: 2_000_000 }))),
      refused(() => helloFromProto(create(pb.HelloSchema, { ...hello, prefixes: ["", "\0"] }))),
      refused(() => helloFromProto(create(pb.HelloSchema, { ...hello, actions: [{ name: "a" }, {}] }))),
      refused(() =>
        helloFromProto(create(pb.HelloSchema, { ...hello, actions: [{ name: "a", isolation: 9 as never }] })),
      ),
      refused(() => outcomeFromProto(create(pb.OutcomeSchema, { call }))),
      refused(() => outcomeFromProto(create(pb.OutcomeSchema, { call: { ...call, attempt: 0 } }))),
      refused(() => outcomeFromProto(create(pb.OutcomeSchema, { call, ended: { case: "result", value: {} } }))),
      refused(() => outcomeFromProto(create(pb.OutcomeSchema, { call, ended: { case: "failure", value: {} } }))),
      refused(() =>
        workerFrameFromProto(
          create(pb.WorkRequestSchema, { heartbeats: [{ call }, { call: { ...call, runId: "x" } }] }),
        ),
      ),
      refused(() =>
        workerFrameFromProto(
          create(pb.WorkRequestSchema, {
            outcomes: [{ call, ended: { case: "result", value: { content: { case: "json", value: "{" } } } }],
          }),
        ),
      ),
      refused(() => runEndFromProto(create(pb.RunEndSchema, { runId, status: 77 as never, value: valueOf("1") }))),
      refused(() => runEndFromProto(create(pb.RunEndSchema, { runId, value: valueOf("1") }))),
    ];
    expect(messages).toEqual([
      "hello.protocol_version is missing",
      "hello.worker_id is missing",
      "hello.namespace must have 1 to 100 letters, digits, dots, hyphens and underscores",
      "hello.capacity must be a whole number from 1 to 1000000",
      "hello.prefixes[1] has a character that cannot be stored: NUL, or half of a surrogate pair",
      "hello.actions[1].name is missing",
      "hello.actions[0].isolation is 9, which this version does not know",
      "outcome.ended is missing: give result or failure",
      "outcome.call.attempt is missing",
      "outcome.result.content is missing: give json or blob",
      "outcome.failure.error is missing",
      "heartbeats[1].call.run_id must be a UUID of version 7, in small letters",
      "outcomes[0].result.json is not JSON",
      "end.status is 77, which this version does not know",
      "end.status is missing",
    ]);
  });

  it("one start among others is refused alone", () => {
    const payload = valueOf("1");
    const request = create(pb.StartRequestSchema, {
      namespace: "default",
      runs: [{ type: "a", payload }, { payload }, { type: "b" }, { type: "c", payload, priority: 101 }],
    });
    const { runs } = startRequestFromProto(request);
    expect(runs.map((run) => (run instanceof InvalidMessage ? run.message : run.type))).toEqual([
      "a",
      "runs[1].type is missing",
      "runs[2].payload is missing",
      "runs[3].priority must be a whole number from -100 to 100",
    ]);
  });

  it("an answer for each run, no more and no fewer", () => {
    const response = create(pb.StartResponseSchema, { runs: [] });
    expect(() => startResponseFromProto(response, 1)).toThrow("runs must have 1 items, one for each run, and has 0");
  });
});

function valueOf(json: string): pb.Value {
  return create(pb.ValueSchema, { content: { case: "json", value: json } });
}
