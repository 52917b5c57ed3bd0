import type { InputOfRun, RunDetails, RunSummary, StateOfRun, StepAttempt, StepOfRun } from "@cairnjs/schemas/rest";
import { type Timed, timed, type Values } from "./values.ts";

/** What is answered about runs, with dates and values in the place of their texts: as in library mode. */

const RUN_TIMES = ["createdAt", "runAt", "startedAt", "endedAt", "deadline", "deletedAt"] as const;
type RunTimes = (typeof RUN_TIMES)[number];

export type RunStatus = Timed<RunSummary, RunTimes>;

export function statusOf(run: RunSummary): RunStatus {
  return timed(run, RUN_TIMES);
}

/** With its input, and its result or error if it has one. */
export type RunView = Timed<RunDetails, RunTimes>;

export async function viewOf(values: Values, run: RunDetails): Promise<RunView> {
  return timed(await values.decodeIn(run, ["payload", "result", "error"]), RUN_TIMES);
}

const ATTEMPT_TIMES = ["startedAt", "endedAt", "retryAt"] as const;

export type RunAttempt = Timed<StepAttempt, (typeof ATTEMPT_TIMES)[number]>;

export async function attemptOf(values: Values, attempt: StepAttempt): Promise<RunAttempt> {
  return timed(await values.decodeIn(attempt, ["error"]), ATTEMPT_TIMES);
}

const STEP_TIMES = ["startedAt", "endedAt"] as const;

/** A step of a run. */
export type RunStep = Omit<Timed<StepOfRun, (typeof STEP_TIMES)[number]>, "attempts"> & {
  readonly attempts: readonly RunAttempt[];
};

export async function stepOf(values: Values, step: StepOfRun): Promise<RunStep> {
  const { attempts, ...others } = timed(await values.decodeIn(step, ["args", "result", "error"]), STEP_TIMES);
  return { ...others, attempts: await Promise.all(attempts.map((attempt) => attemptOf(values, attempt))) };
}

/** The state of a run after one of its inputs, for people. */
export type RunState = Timed<StateOfRun, "at">;

export async function stateOf(values: Values, state: StateOfRun): Promise<RunState> {
  const open = await Promise.all(state.open.map((step) => values.decodeIn(step, ["args"])));
  return timed({ ...state, open }, ["at"]);
}

/** Something that a run has taken. */
export type RunInput = Timed<InputOfRun, "startedAt" | "at">;

export function inputOf(input: InputOfRun): RunInput {
  return timed(input, ["startedAt", "at"]);
}
