import type { ClaimedRun } from "../store/claim-runs.ts";
import type { RunRow } from "../store/load-runs.ts";
import type { NewRun } from "../store/start-runs.ts";
import type { NewChild } from "../store/transition.ts";
import type { Step } from "./step.ts";

/** The row of a run that was just started. */
export function newRunRow(run: NewRun | NewChild): RunRow {
  return {
    id: run.id,
    namespace: run.namespace,
    type: run.type,
    version: run.version,
    priority: run.priority,
    payload: run.payload,
    checked: true,
    maxAttempts: run.maxAttempts,
    tags: run.tags,
    deadline: run.deadline,
    parent: "parent" in run ? run.parent : null,
    parentCall: "parent" in run ? run.parentCall : null,
    deadLetterType: "deadLetterType" in run ? run.deadLetterType : null,
    expiresAt: null,
    effects: "effects" in run ? run.effects : null,
    formerStatus: null,
    forkedFrom: null,
    forkedNumber: null,
    deleted: false,
    traceparent: run.traceparent,
  };
}

/** As if it had just been claimed, by who holds it already: before this step, of which nothing is committed. */
export function claimOf({ run, wasPaused: paused }: Step): ClaimedRun {
  return {
    id: run.id,
    priority: run.row.priority,
    readyAt: 0,
    crashes: run.crashes,
    attempt: run.attempt,
    lastError: run.lastError,
    begun: true,
    callsOut: true,
    startedAt: run.startedAt ?? 0,
    leasedAt: run.notedAt(0),
    pastDeadline: run.pastDeadline,
    paused,
  };
}
