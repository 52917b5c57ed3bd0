import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import * as nouns from "@cairnjs/schemas";
import type fc from "fast-check";
import * as protocol from "../src/index.ts";
import * as arbitrary from "./arbitraries.ts";

const { pb } = protocol;

/** All that there is to a noun, whatever it is. */
export interface NounCase {
  readonly name: string;
  readonly arbitrary: fc.Arbitrary<unknown>;
  readonly isValid: (noun: unknown) => boolean;
  readonly message: DescMessage;
  readonly toProto: (noun: unknown) => MessageShape<DescMessage>;
  readonly fromProto: (message: MessageShape<DescMessage> | undefined) => unknown;
}

function noun<T, Desc extends DescMessage>(
  name: string,
  values: fc.Arbitrary<T>,
  schema: { safeParse(value: unknown): { success: boolean } },
  message: Desc,
  toProto: (noun: T) => MessageShape<Desc>,
  fromProto: (message: MessageShape<Desc> | undefined) => T,
): NounCase {
  return {
    name,
    arbitrary: values,
    isValid: (value) => schema.safeParse(value).success,
    message,
    toProto: (value) => toProto(value as T),
    fromProto: (each) => fromProto(each as MessageShape<Desc> | undefined),
  };
}

// One line each: it is a table.
// oxfmt-ignore
export const NOUNS: readonly NounCase[] = [
  noun("value", arbitrary.value, nouns.Value, pb.ValueSchema, protocol.valueToProto, protocol.valueFromProto),
  noun("blob", arbitrary.blobRef, nouns.BlobRef, pb.BlobRefSchema, protocol.blobRefToProto, protocol.blobRefFromProto),
  noun("call", arbitrary.callRef, nouns.CallRef, pb.CallRefSchema, protocol.callRefToProto, protocol.callRefFromProto),
  noun("retry", arbitrary.retryPolicy, nouns.RetryPolicy, pb.RetryPolicySchema, protocol.retryPolicyToProto, protocol.retryPolicyFromProto),
  noun("dispatch", arbitrary.dispatch, nouns.Dispatch, pb.DispatchSchema, protocol.dispatchToProto, protocol.dispatchFromProto),
  noun("outcome", arbitrary.outcome, nouns.Outcome, pb.OutcomeSchema, protocol.outcomeToProto, protocol.outcomeFromProto),
  noun("heartbeat", arbitrary.heartbeat, nouns.Heartbeat, pb.HeartbeatSchema, protocol.heartbeatToProto, protocol.heartbeatFromProto),
  noun("chunk", arbitrary.chunk, nouns.Chunk, pb.ChunkSchema, protocol.chunkToProto, protocol.chunkFromProto),
  noun("chunks_taken", arbitrary.chunksTaken, nouns.ChunksTaken, pb.ChunksTakenSchema, protocol.chunksTakenToProto, protocol.chunksTakenFromProto),
  noun("cancel", arbitrary.cancel, nouns.Cancel, pb.CancelSchema, protocol.cancelToProto, protocol.cancelFromProto),
  noun("in_flight", arbitrary.inFlight, nouns.InFlight, pb.InFlightSchema, protocol.inFlightToProto, protocol.inFlightFromProto),
  noun("credits", arbitrary.credits, nouns.Credits, pb.CreditsSchema, protocol.creditsToProto, protocol.creditsFromProto),
  noun("backlog", arbitrary.backlog, nouns.Backlog, pb.BacklogSchema, protocol.backlogToProto, protocol.backlogFromProto),
  noun("action", arbitrary.registeredAction, nouns.RegisteredAction, pb.RegisteredActionSchema, protocol.registeredActionToProto, protocol.registeredActionFromProto),
  noun("workflow", arbitrary.registeredWorkflow, nouns.RegisteredWorkflow, pb.RegisteredWorkflowSchema, protocol.registeredWorkflowToProto, protocol.registeredWorkflowFromProto),
  noun("control_plane", arbitrary.address, nouns.ControlPlaneAddress, pb.ControlPlaneAddressSchema, protocol.controlPlaneAddressToProto, protocol.controlPlaneAddressFromProto),
  noun("hello", arbitrary.hello, nouns.Hello, pb.HelloSchema, protocol.helloToProto, protocol.helloFromProto),
  noun("welcome", arbitrary.welcome, nouns.Welcome, pb.WelcomeSchema, protocol.welcomeToProto, protocol.welcomeFromProto),
  noun("run", arbitrary.startRun, nouns.StartRun, pb.StartRunSchema, protocol.startRunToProto, protocol.startRunFromProto),
  noun("run", arbitrary.startedRun, nouns.StartedRun, pb.StartedRunSchema, protocol.startedRunToProto, protocol.startedRunFromProto),
  noun("error", arbitrary.requestError, nouns.RequestError, pb.ErrorSchema, protocol.errorToProto, protocol.errorFromProto),
  noun("end", arbitrary.runEnd, nouns.RunEnd, pb.RunEndSchema, protocol.runEndToProto, protocol.runEndFromProto),
  noun("error", arbitrary.waitError, nouns.WaitError, pb.WaitErrorSchema, protocol.waitErrorToProto, protocol.waitErrorFromProto),
];
