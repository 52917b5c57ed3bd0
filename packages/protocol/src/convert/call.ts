import { create } from "@bufbuild/protobuf";
import { CallRef, Cancel, Dispatch, type Heartbeat, Outcome, RetryPolicy } from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { InvalidMessage, numberOf, optional, present, required } from "./invalid-message.ts";
import { optionalValueFromProto, optionalValueToProto, valueFromProto, valueToProto } from "./value.ts";

const ref = CallRef.shape;
const dispatch = Dispatch.shape;
const policy = RetryPolicy.shape;

export function callRefFromProto(message: pb.CallRef | undefined, path = "call"): CallRef {
  const { runId, call, attempt } = present(message, path);
  return {
    runId: required(ref.runId, runId, path, "run_id"),
    call: required(ref.call, call, path, "call"),
    attempt: required(ref.attempt, attempt, path, "attempt"),
  };
}

export function callRefToProto({ runId, call, attempt }: CallRef): pb.CallRef {
  return create(pb.CallRefSchema, { runId, call, attempt });
}

export function retryPolicyFromProto(message: pb.RetryPolicy | undefined, path = "retry"): RetryPolicy {
  const { attempts, baseMs, capMs } = present(message, path);
  return {
    attempts: required(policy.attempts, attempts, path, "attempts"),
    baseMs: required(policy.baseMs, numberOf(baseMs), path, "base_ms"),
    capMs: required(policy.capMs, numberOf(capMs), path, "cap_ms"),
  };
}

export function retryPolicyToProto({ attempts, baseMs, capMs }: RetryPolicy): pb.RetryPolicy {
  return create(pb.RetryPolicySchema, { attempts, baseMs: BigInt(baseMs), capMs: BigInt(capMs) });
}

export function dispatchFromProto(message: pb.Dispatch | undefined, path = "dispatch"): Dispatch {
  const { call, action, runType, runVersion, args, options, heartbeatDetails, priority, deadlineMs, idempotencyKey } =
    present(message, path);
  return {
    ...callRefFromProto(call, `${path}.call`),
    action: required(dispatch.action, action, path, "action"),
    type: required(dispatch.type, runType, path, "run_type"),
    version: required(dispatch.version, runVersion, path, "run_version"),
    args: valueFromProto(args, `${path}.args`),
    options: optionalValueFromProto(options, `${path}.options`),
    heartbeatDetails: optionalValueFromProto(heartbeatDetails, `${path}.heartbeat_details`),
    priority: required(dispatch.priority, priority, path, "priority"),
    deadlineMs: optional(dispatch.deadlineMs.unwrap(), numberOf(deadlineMs), path, "deadline_ms"),
    idempotencyKey: required(dispatch.idempotencyKey, idempotencyKey, path, "idempotency_key"),
  };
}

export function dispatchToProto(call: Dispatch): pb.Dispatch {
  const { action, type, version, args, options, heartbeatDetails, priority, deadlineMs, idempotencyKey } = call;
  return create(pb.DispatchSchema, {
    call: callRefToProto(call),
    action,
    runType: type,
    runVersion: version,
    args: valueToProto(args),
    ...optionalValueToProto("options", options),
    ...optionalValueToProto("heartbeatDetails", heartbeatDetails),
    priority,
    ...(deadlineMs === null ? {} : { deadlineMs: BigInt(deadlineMs) }),
    idempotencyKey,
  });
}

export function outcomeFromProto(message: pb.Outcome | undefined, path = "outcome"): Outcome {
  const { call, ended, durationMs } = present(message, path);
  return {
    ...callRefFromProto(call, `${path}.call`),
    ...endedFromProto(ended, path),
    durationMs: required(Outcome.shape.durationMs, numberOf(durationMs), path, "duration_ms"),
  };
}

function endedFromProto(ended: pb.Outcome["ended"], path: string): Pick<Outcome, "kind" | "value" | "retry"> {
  if (ended.case === "result") {
    return { kind: "result", value: valueFromProto(ended.value, `${path}.result`), retry: null };
  }
  if (ended.case === "failure") {
    const { error, retry } = ended.value;
    return {
      kind: "error",
      value: valueFromProto(error, `${path}.failure.error`),
      retry: retry === undefined ? null : retryPolicyFromProto(retry, `${path}.failure.retry`),
    };
  }
  throw new InvalidMessage(`${path}.ended`, "is missing: give result or failure");
}

export function outcomeToProto(outcome: Outcome): pb.Outcome {
  const { kind, value, retry, durationMs } = outcome;
  const stored = valueToProto(value);
  const ended: pb.Outcome["ended"] =
    kind === "result"
      ? { case: "result", value: stored }
      : {
          case: "failure",
          value: create(pb.FailureSchema, {
            error: stored,
            ...(retry === null ? {} : { retry: retryPolicyToProto(retry) }),
          }),
        };
  return create(pb.OutcomeSchema, { call: callRefToProto(outcome), ended, durationMs: BigInt(durationMs) });
}

export function heartbeatFromProto(message: pb.Heartbeat | undefined, path = "heartbeat"): Heartbeat {
  const { call, details } = present(message, path);
  return {
    ...callRefFromProto(call, `${path}.call`),
    details: optionalValueFromProto(details, `${path}.details`),
  };
}

export function heartbeatToProto(heartbeat: Heartbeat): pb.Heartbeat {
  return create(pb.HeartbeatSchema, {
    call: callRefToProto(heartbeat),
    ...optionalValueToProto("details", heartbeat.details),
  });
}

export function cancelFromProto(message: pb.Cancel | undefined, path = "cancel"): Cancel {
  const { call, reason } = present(message, path);
  return {
    ...callRefFromProto(call, `${path}.call`),
    reason: required(Cancel.shape.reason, reason, path, "reason"),
  };
}

export function cancelToProto(cancel: Cancel): pb.Cancel {
  return create(pb.CancelSchema, { call: callRefToProto(cancel), reason: cancel.reason });
}
