import { create } from "@bufbuild/protobuf";
import {
  InlineJson,
  MaxAttempts,
  Name,
  PositiveMs,
  Priority,
  RequestError,
  type RunEnd,
  RunId,
  type StartedRun,
  type StartRun,
  Tags,
  TAGS_MAX,
  TimeMs,
  Traceparent,
  type WaitError,
} from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { InvalidMessage, numberOf, optional, present, required, texts } from "./invalid-message.ts";
import { valueFromProto, valueToProto } from "./value.ts";

const errorFields = RequestError.shape;
const Tag = Tags.element;

export function startRunFromProto(message: pb.StartRun | undefined, path = "run"): StartRun {
  const said = present(message, path);
  const run: StartRun = {
    type: required(Name, said.type, path, "type"),
    payload: valueFromProto(said.payload, `${path}.payload`),
    tags: texts(Tag, said.tags, TAGS_MAX, path, "tags"),
  };
  const { id, version, priority, maxAttempts, idempotencyKey, deadLetterType } = said;
  const [runAtMs, deadlineMs] = [numberOf(said.runAtMs), numberOf(said.deadlineMs)];
  // An option that was not said is not there.
  if (id !== undefined) run.id = required(RunId, id, path, "id");
  if (version !== undefined) run.version = required(Name, version, path, "version");
  if (runAtMs !== undefined) run.runAtMs = required(TimeMs, runAtMs, path, "run_at_ms");
  if (deadlineMs !== undefined) run.deadlineMs = required(TimeMs, deadlineMs, path, "deadline_ms");
  if (priority !== undefined) run.priority = required(Priority, priority, path, "priority");
  if (maxAttempts !== undefined) run.maxAttempts = required(MaxAttempts, maxAttempts, path, "max_attempts");
  if (idempotencyKey !== undefined) run.idempotencyKey = required(Name, idempotencyKey, path, "idempotency_key");
  if (deadLetterType !== undefined) run.deadLetterType = required(Name, deadLetterType, path, "dead_letter_type");
  if (said.debounce !== undefined) run.debounce = debounceFromProto(said.debounce, `${path}.debounce`);
  if (said.deduplicate !== undefined) {
    const { key, forMs } = said.deduplicate;
    const of = `${path}.deduplicate`;
    run.deduplicate = {
      key: required(Name, key, of, "key"),
      forMs: required(PositiveMs, numberOf(forMs), of, "for_ms"),
    };
  }
  const ttlMs = numberOf(said.ttlMs);
  if (ttlMs !== undefined) run.ttlMs = required(PositiveMs, ttlMs, path, "ttl_ms");
  const { traceparent } = said;
  if (traceparent !== undefined) run.traceparent = required(Traceparent, traceparent, path, "traceparent");
  return run;
}

function debounceFromProto(message: pb.Debounce, path: string): NonNullable<StartRun["debounce"]> {
  const delayMs = required(PositiveMs, numberOf(message.delayMs), path, "delay_ms");
  const maxMs = numberOf(message.maxMs);
  return {
    key: required(Name, message.key, path, "key"),
    delayMs,
    ...(maxMs === undefined ? {} : { maxMs: required(PositiveMs, maxMs, path, "max_ms") }),
  };
}

export function startRunToProto(run: StartRun): pb.StartRun {
  const { payload, runAtMs, deadlineMs, debounce, deduplicate, ttlMs, ...rest } = run;
  return create(pb.StartRunSchema, {
    ...rest,
    payload: valueToProto(payload),
    ...(runAtMs === undefined ? {} : { runAtMs: BigInt(runAtMs) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs: BigInt(deadlineMs) }),
    ...(debounce === undefined ? {} : { debounce: debounceToProto(debounce) }),
    ...(deduplicate === undefined
      ? {}
      : { deduplicate: create(pb.DeduplicateSchema, { key: deduplicate.key, forMs: BigInt(deduplicate.forMs) }) }),
    ...(ttlMs === undefined ? {} : { ttlMs: BigInt(ttlMs) }),
  });
}

function debounceToProto({ key, delayMs, maxMs }: NonNullable<StartRun["debounce"]>): pb.Debounce {
  const most = maxMs === undefined ? {} : { maxMs: BigInt(maxMs) };
  return create(pb.DebounceSchema, { key, delayMs: BigInt(delayMs), ...most });
}

export function startedRunFromProto(message: pb.StartedRun | undefined, path = "run"): StartedRun {
  const { outcome } = present(message, path);
  if (outcome.case === "started") return { kind: "started", id: required(RunId, outcome.value, path, "started") };
  if (outcome.case === "existed") return { kind: "existed", id: required(RunId, outcome.value, path, "existed") };
  if (outcome.case === "error") return { kind: "error", error: errorFromProto(outcome.value, `${path}.error`) };
  throw new InvalidMessage(`${path}.outcome`, "is missing: give started, existed or error");
}

export function startedRunToProto(run: StartedRun): pb.StartedRun {
  return create(pb.StartedRunSchema, {
    outcome:
      run.kind === "error" ? { case: "error", value: errorToProto(run.error) } : { case: run.kind, value: run.id },
  });
}

export function errorFromProto(message: pb.Error | undefined, path = "error"): RequestError {
  const { code, message: text } = present(message, path);
  return {
    code: required(errorFields.code, code, path, "code"),
    message: required(errorFields.message, text, path, "message"),
  };
}

export function errorToProto({ code, message }: RequestError): pb.Error {
  return create(pb.ErrorSchema, { code, message });
}

const STATUSES = {
  succeeded: pb.RunStatus.SUCCEEDED,
  failed: pb.RunStatus.FAILED,
  cancelled: pb.RunStatus.CANCELLED,
  deleted: pb.RunStatus.DELETED,
} as const satisfies Record<RunEnd["status"], pb.RunStatus>;

const STATUS_NAMES = new Map<number, RunEnd["status"]>(
  Object.entries(STATUSES).map(([name, number]) => [number, name as RunEnd["status"]]),
);

export function runEndFromProto(message: pb.RunEnd | undefined, path = "end"): RunEnd {
  const { runId, status, value, trace } = present(message, path);
  return {
    runId: required(RunId, runId, path, "run_id"),
    status: statusFromProto(status, path),
    value: valueFromProto(value, `${path}.value`),
    trace: optional(InlineJson, trace, path, "trace"),
  };
}

function statusFromProto(status: number, path: string): RunEnd["status"] {
  const name = STATUS_NAMES.get(status);
  if (name !== undefined) return name;
  const problem = status === 0 ? "is missing" : `is ${status}, which this version does not know`;
  throw new InvalidMessage(`${path}.status`, problem);
}

export function runEndToProto({ runId, status, value, trace }: RunEnd): pb.RunEnd {
  return create(pb.RunEndSchema, {
    runId,
    status: STATUSES[status],
    value: valueToProto(value),
    ...(trace === null ? {} : { trace }),
  });
}

export function waitErrorFromProto(message: pb.WaitError | undefined, path = "error"): WaitError {
  const { runId, error } = present(message, path);
  return {
    runId: required(RunId, runId, path, "run_id"),
    error: errorFromProto(error, `${path}.error`),
  };
}

export function waitErrorToProto({ runId, error }: WaitError): pb.WaitError {
  return create(pb.WaitErrorSchema, { runId, error: errorToProto(error) });
}
