import { create } from "@bufbuild/protobuf";
import {
  type Backlog,
  BATCH_MAX,
  type CallRef,
  type Cancel,
  type Chunk,
  type ChunksTaken,
  type ControlPlaneAddress,
  type Credits,
  type Dispatch,
  type Heartbeat,
  type Hello,
  type InFlight,
  type Outcome,
  type Welcome,
} from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import * as calls from "./call.ts";
import { eachOf } from "./invalid-message.ts";
import * as worker from "./worker.ts";

/** What a worker says at one time. What it has nothing to say of is absent. */
export interface WorkerFrame {
  readonly hello?: Hello;
  readonly outcomes?: readonly Outcome[];
  readonly heartbeats?: readonly Heartbeat[];
  readonly inFlight?: InFlight;
  readonly chunks?: readonly Chunk[];
  readonly credits?: Credits;
  readonly draining?: true;
}

/** What a control plane says at one time. */
export interface ControlPlaneFrame {
  readonly welcome?: Welcome;
  readonly dispatches?: readonly Dispatch[];
  readonly acknowledged?: readonly CallRef[];
  readonly cancels?: readonly Cancel[];
  readonly askInFlight?: true;
  readonly chunksTaken?: readonly ChunksTaken[];
  readonly backlog?: Backlog;
  readonly controlPlanes?: readonly ControlPlaneAddress[];
  readonly goodbye?: true;
}

/** Refuses the frame as a whole: a worker that says one thing wrong says others wrong too. */
export function workerFrameFromProto(message: pb.WorkRequest): WorkerFrame {
  const { hello, outcomes, heartbeats, inFlight, chunks, credits, draining } = message;
  return {
    ...(hello === undefined ? {} : { hello: worker.helloFromProto(hello) }),
    ...(outcomes.length === 0 ? {} : { outcomes: batchOf(outcomes, "outcomes", calls.outcomeFromProto) }),
    ...(heartbeats.length === 0 ? {} : { heartbeats: batchOf(heartbeats, "heartbeats", calls.heartbeatFromProto) }),
    ...(inFlight === undefined ? {} : { inFlight: worker.inFlightFromProto(inFlight) }),
    ...(chunks.length === 0 ? {} : { chunks: batchOf(chunks, "chunks", calls.chunkFromProto) }),
    ...(credits === undefined ? {} : { credits: worker.creditsFromProto(credits) }),
    ...(draining ? { draining } : {}),
  };
}

export function workerFrameToProto(frame: WorkerFrame): pb.WorkRequest {
  const { hello, outcomes = [], heartbeats = [], inFlight, chunks = [], credits, draining = false } = frame;
  return create(pb.WorkRequestSchema, {
    ...(hello === undefined ? {} : { hello: worker.helloToProto(hello) }),
    outcomes: outcomes.map(calls.outcomeToProto),
    heartbeats: heartbeats.map(calls.heartbeatToProto),
    ...(inFlight === undefined ? {} : { inFlight: worker.inFlightToProto(inFlight) }),
    chunks: chunks.map(calls.chunkToProto),
    ...(credits === undefined ? {} : { credits: worker.creditsToProto(credits) }),
    draining,
  });
}

export function controlPlaneFrameFromProto(message: pb.WorkResponse): ControlPlaneFrame {
  const { welcome, dispatches, acknowledged, cancels, askInFlight, chunksTaken, backlog } = message;
  const { controlPlanes, goodbye } = message;
  return {
    ...(welcome === undefined ? {} : { welcome: worker.welcomeFromProto(welcome) }),
    ...(dispatches.length === 0 ? {} : { dispatches: batchOf(dispatches, "dispatches", calls.dispatchFromProto) }),
    ...(acknowledged.length === 0
      ? {}
      : { acknowledged: batchOf(acknowledged, "acknowledged", calls.callRefFromProto) }),
    ...(cancels.length === 0 ? {} : { cancels: batchOf(cancels, "cancels", calls.cancelFromProto) }),
    ...(askInFlight ? { askInFlight } : {}),
    ...(chunksTaken.length === 0
      ? {}
      : { chunksTaken: batchOf(chunksTaken, "chunks_taken", calls.chunksTakenFromProto) }),
    ...(backlog === undefined ? {} : { backlog: worker.backlogFromProto(backlog) }),
    ...(controlPlanes.length === 0 ? {} : { controlPlanes: worker.controlPlanesFromProto(controlPlanes, "") }),
    ...(goodbye ? { goodbye } : {}),
  };
}

export function controlPlaneFrameToProto(frame: ControlPlaneFrame): pb.WorkResponse {
  const { welcome, dispatches = [], acknowledged = [], cancels = [], chunksTaken = [], backlog } = frame;
  const { controlPlanes = [] } = frame;
  return create(pb.WorkResponseSchema, {
    ...(welcome === undefined ? {} : { welcome: worker.welcomeToProto(welcome) }),
    dispatches: dispatches.map(calls.dispatchToProto),
    acknowledged: acknowledged.map(calls.callRefToProto),
    cancels: cancels.map(calls.cancelToProto),
    askInFlight: frame.askInFlight ?? false,
    chunksTaken: chunksTaken.map(calls.chunksTakenToProto),
    ...(backlog === undefined ? {} : { backlog: worker.backlogToProto(backlog) }),
    controlPlanes: controlPlanes.map(worker.controlPlaneAddressToProto),
    goodbye: frame.goodbye ?? false,
  });
}

function batchOf<From, To>(list: readonly From[], name: string, convert: (item: From, path: string) => To): To[] {
  return eachOf(list, BATCH_MAX, "", name, convert);
}
