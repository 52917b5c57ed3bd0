import type {
  EventOfRun,
  InputOfRun,
  RunDetails,
  RunSummary,
  RunWithoutValues,
  StateOfRun,
  StepAttempt,
  StepOfRun,
} from "@cairnjs/schemas/rest";
import type { BlobStore } from "../blobs/blob-store.ts";
import { valueOf } from "../blobs/stored-values.ts";
import { readable } from "../library/readable.ts";
import type { RunInput } from "../library/run-inputs.ts";
import type { EncodedStateView, EncodedStepView } from "../library/run-steps.ts";
import type { RunSummaryView, RunView } from "../store/find-runs.ts";
import type { EventRow } from "../store/list-events.ts";
import type { AttemptRow } from "../store/load-attempts.ts";
import { StoredJson } from "../stored-json.ts";
import { storedOrNull, timeOf, timeOrNull } from "./json-values.ts";
import { shownJson } from "./shown-json.ts";

/** What is stored of runs, as it is answered. */

export function summaryOf(run: RunSummaryView): RunSummary {
  const { id, type, version, status, phase, waitingFor, attempt, maxAttempts, lastError, priority, parent } = run;
  const same = { id, type, version, status, phase, waitingFor, attempt, maxAttempts, lastError, priority, parent };
  return {
    ...same,
    tags: [...run.tags],
    createdAt: timeOf(run.createdAt),
    runAt: timeOf(run.runAt),
    startedAt: timeOrNull(run.startedAt),
    endedAt: timeOrNull(run.endedAt),
    deadline: timeOrNull(run.deadline),
    deletedAt: timeOrNull(run.deletedAt),
  };
}

export function withoutValues(run: RunSummaryView): RunWithoutValues {
  const { namespace, idempotencyKey, leasedBy, deleteReason } = run;
  return { ...summaryOf(run), namespace, idempotencyKey, leasedBy, deleteReason };
}

export async function detailsOf(blobs: BlobStore, run: RunView): Promise<RunDetails> {
  return {
    ...withoutValues(run),
    payload: await answeredValue(blobs, run.payload, run.id, "The input"),
    ...(await endOf(blobs, run)),
    trace: traceOf(run),
  };
}

/** Result or error, if it has one. */
export async function endOf(blobs: BlobStore, run: RunView): Promise<{ result?: unknown; error?: unknown }> {
  const { id, result, error } = run;
  if (result !== null) return { result: await answeredValue(blobs, result, id, "The result") };
  return error === null ? {} : { error: await answeredValue(blobs, error, id, "The error") };
}

export function traceOf({ trace }: RunView): unknown[] | null {
  return trace === null ? null : (JSON.parse(trace) as unknown[]);
}

async function answeredValue(blobs: BlobStore, stored: string, id: string, what: string): Promise<unknown> {
  return new StoredJson(await readable(valueOf(blobs, stored, id, what)));
}

export function attemptOf({ call, attempt, outcome, worker, error, ...times }: AttemptRow): StepAttempt {
  return {
    call,
    attempt,
    outcome,
    worker,
    startedAt: timeOf(times.startedAt),
    endedAt: timeOf(times.endedAt),
    retryAt: timeOrNull(times.retryAt),
    ...(error === null ? {} : { error: new StoredJson(error) }),
  };
}

export function stepOf({ args, value, attempts, startedAt, endedAt, ...step }: EncodedStepView): StepOfRun {
  const end = value === null ? {} : { [step.status === "failed" ? "error" : "result"]: new StoredJson(value) };
  return {
    ...step,
    args: new StoredJson(args),
    ...end,
    startedAt: timeOf(startedAt),
    endedAt: timeOrNull(endedAt),
    attempts: attempts.map(attemptOf),
  };
}

export function stateOf({ at, open, frames, ...state }: EncodedStateView): StateOfRun {
  return {
    ...state,
    compensations: [...state.compensations],
    at: timeOf(at),
    frames: frames.map(({ variables, calls, frames: others, ...frame }) => ({
      ...frame,
      variables: shownJson(variables) as Record<string, unknown>,
      calls: [...calls],
      frames: [...others],
    })),
    open: open.map(({ call, node, kind, name, compensation, args }) => {
      return { call, node, kind, name, compensation, args: new StoredJson(args) };
    }),
  };
}

export function inputOf({ at, startedAt, ...input }: RunInput): InputOfRun {
  return { ...input, startedAt: startedAt?.toISOString() ?? null, at: at.toISOString() };
}

export function eventOf({ data, at, ...event }: EventRow): EventOfRun {
  return { ...event, data: storedOrNull(data), at: timeOf(at) };
}
