import { create } from "@bufbuild/protobuf";
import {
  BATCH_MAX,
  CancelRun,
  Namespace,
  type RegisteredAction,
  type RegisteredWorkflow,
  type RunEnd,
  RunId,
  SignalRun,
  type StartedRun,
  type StartRun,
  type WaitError,
} from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { eachOf, InvalidMessage, required, texts } from "./invalid-message.ts";
import {
  registeredActionFromProto,
  registeredActionToProto,
  registeredWorkflowFromProto,
  registeredWorkflowToProto,
} from "./registered.ts";
import * as runs from "./run.ts";
import { valueFromProto, valueToProto } from "./value.ts";

interface InNamespace {
  readonly namespace: string;
}

export interface RegisterRequest extends InNamespace {
  readonly workflows: readonly RegisteredWorkflow[];
  readonly actions: readonly RegisteredAction[];
}

/** One start of a batch: a run, or what is wrong with it. */
export type WantedRun = StartRun | InvalidMessage;

export interface WaitRequest extends InNamespace {
  readonly runIds: readonly string[];
}

export interface WaitResponse {
  readonly ends: readonly RunEnd[];
  readonly errors: readonly WaitError[];
}

export function registerRequestFromProto({ namespace, workflows, actions }: pb.RegisterRequest): RegisterRequest {
  return {
    namespace: required(Namespace, namespace, "", "namespace"),
    workflows: eachOf(workflows, BATCH_MAX, "", "workflows", registeredWorkflowFromProto),
    actions: eachOf(actions, BATCH_MAX, "", "actions", registeredActionFromProto),
  };
}

export function registerRequestToProto({ namespace, workflows, actions }: RegisterRequest): pb.RegisterRequest {
  return create(pb.RegisterRequestSchema, {
    namespace,
    workflows: workflows.map(registeredWorkflowToProto),
    actions: actions.map(registeredActionToProto),
  });
}

/** A start that says something wrong is refused alone: its neighbours are started. */
export function startRequestFromProto(message: pb.StartRequest): InNamespace & { readonly runs: WantedRun[] } {
  return {
    namespace: required(Namespace, message.namespace, "", "namespace"),
    runs: eachOf(message.runs, BATCH_MAX, "", "runs", wantedRun),
  };
}

function wantedRun(message: pb.StartRun, path: string): WantedRun {
  try {
    return runs.startRunFromProto(message, path);
  } catch (error) {
    if (error instanceof InvalidMessage) return error;
    throw error;
  }
}

export function startRequestToProto(namespace: string, wanted: readonly StartRun[]): pb.StartRequest {
  return create(pb.StartRequestSchema, { namespace, runs: wanted.map(runs.startRunToProto) });
}

/** There must be an answer to each run that was asked for. */
export function startResponseFromProto(message: pb.StartResponse, asked: number): StartedRun[] {
  if (message.runs.length !== asked) {
    throw new InvalidMessage("runs", `must have ${asked} items, one for each run, and has ${message.runs.length}`);
  }
  return eachOf(message.runs, BATCH_MAX, "", "runs", runs.startedRunFromProto);
}

export function startResponseToProto(started: readonly StartedRun[]): pb.StartResponse {
  return create(pb.StartResponseSchema, { runs: started.map(runs.startedRunToProto) });
}

export function waitRequestFromProto({ namespace, runIds }: pb.WaitRequest): WaitRequest {
  return {
    namespace: required(Namespace, namespace, "", "namespace"),
    runIds: texts(RunId, runIds, BATCH_MAX, "", "run_ids"),
  };
}

export function waitRequestToProto({ namespace, runIds }: WaitRequest): pb.WaitRequest {
  return create(pb.WaitRequestSchema, { namespace, runIds: [...runIds] });
}

export function waitResponseFromProto({ ends, errors }: pb.WaitResponse): WaitResponse {
  return {
    ends: eachOf(ends, BATCH_MAX, "", "ends", runs.runEndFromProto),
    errors: eachOf(errors, BATCH_MAX, "", "errors", runs.waitErrorFromProto),
  };
}

export function waitResponseToProto({ ends, errors }: WaitResponse): pb.WaitResponse {
  return create(pb.WaitResponseSchema, {
    ends: ends.map(runs.runEndToProto),
    errors: errors.map(runs.waitErrorToProto),
  });
}

export function signalRequestFromProto(message: pb.SignalRequest): InNamespace & SignalRun {
  const { namespace, runId, name, value, key } = message;
  return {
    namespace: required(Namespace, namespace, "", "namespace"),
    runId: required(RunId, runId, "", "run_id"),
    name: required(SignalRun.shape.name, name, "", "name"),
    value: valueFromProto(value),
    key: required(SignalRun.shape.key, key, "", "key"),
  };
}

export function signalRequestToProto({ value, ...rest }: InNamespace & SignalRun): pb.SignalRequest {
  return create(pb.SignalRequestSchema, { ...rest, value: valueToProto(value) });
}

export function cancelRequestFromProto({ namespace, runId, reason }: pb.CancelRequest): InNamespace & CancelRun {
  return {
    namespace: required(Namespace, namespace, "", "namespace"),
    runId: required(RunId, runId, "", "run_id"),
    reason: required(CancelRun.shape.reason, reason, "", "reason"),
  };
}

export function cancelRequestToProto({ namespace, runId, reason }: InNamespace & CancelRun): pb.CancelRequest {
  return create(pb.CancelRequestSchema, { namespace, runId, reason });
}

/** `after` is null for all that is kept. */
export interface WatchChunksRequest extends InNamespace {
  readonly runId: string;
  readonly after: string | null;
}

export function watchChunksRequestFromProto({ namespace, runId, after }: pb.WatchChunksRequest): WatchChunksRequest {
  return {
    namespace: required(Namespace, namespace, "", "namespace"),
    runId: required(RunId, runId, "", "run_id"),
    after: after === "" ? null : after,
  };
}

export function watchChunksRequestToProto({ namespace, runId, after }: WatchChunksRequest): pb.WatchChunksRequest {
  return create(pb.WatchChunksRequestSchema, { namespace, runId, after: after ?? "" });
}
