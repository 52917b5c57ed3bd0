import { z } from "zod";
import { REASON_LENGTH_MAX } from "../limits.ts";
import { MaxAttempts, Priority, wholeNumber } from "../number.ts";
import { Tags } from "../registered.ts";
import { PositiveMs } from "../run.ts";
import { Name, RunId, storableText, Uuid } from "../text.ts";
import { RUN_EVENTS } from "../run-events.ts";
import { RUN_STATUSES } from "../transitions.ts";
import { InNamespace, InPages, queryNumber, sortedBy } from "./page.ts";
import { RUN_PHASES } from "./run-phase.ts";
import { QueryBoolean, RunFilterQuery } from "./run-filter.ts";
import { Problem } from "./problem.ts";
import { AnsweredTime, TimeText } from "./time.ts";

/** A value as JSON, in the tagged encoding: what JSON has is itself. It stands where it is, and not in a text. */
const JsonValue = z.unknown();

/** What lists say of a run. */
export const RunSummary = z.strictObject({
  id: z.string(),
  type: z.string(),
  version: z.string(),
  status: z.enum(RUN_STATUSES),
  /** Of a run that lives. */
  phase: z.enum(RUN_PHASES).nullable(),
  waitingFor: z.string().nullable(),
  attempt: z.int(),
  maxAttempts: z.int(),
  lastError: z.string().nullable(),
  priority: z.int(),
  tags: z.array(z.string()),
  parent: z.string().nullable(),
  createdAt: AnsweredTime,
  /** When it was due, or goes on by itself: the end of a sleep, the next try. */
  runAt: AnsweredTime,
  startedAt: AnsweredTime.nullable(),
  endedAt: AnsweredTime.nullable(),
  deadline: AnsweredTime.nullable(),
  deletedAt: AnsweredTime.nullable(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** Where in the source an error came from, innermost first. */
const Trace = z.array(z.unknown());

/** All that is known of a run, but for its values and what it has done. */
export const RunWithoutValues = z.strictObject({
  ...RunSummary.shape,
  namespace: z.string(),
  idempotencyKey: z.string().nullable(),
  /** Who holds it now. */
  leasedBy: z.string().nullable(),
  deleteReason: z.string().nullable(),
});
export type RunWithoutValues = z.infer<typeof RunWithoutValues>;

/** All that is known of a run, but for what it has done. */
export const RunDetails = z.strictObject({
  ...RunWithoutValues.shape,
  payload: JsonValue,
  /** Of one that has succeeded. */
  result: z.exactOptional(JsonValue),
  /** Of one that has failed or was cancelled. */
  error: z.exactOptional(JsonValue),
  trace: Trace.nullable(),
});
export type RunDetails = z.infer<typeof RunDetails>;

export const RUNS_SORT = "-createdAt";

/** Which runs are listed. Several types or tags are said by giving the name several times: of types any, of tags all. */
export const ListRuns = z.strictObject({
  ...InPages.shape,
  ...RunFilterQuery.shape,
  sort: sortedBy(["createdAt"], RUNS_SORT),
});

/** A run to be started. */
export const StartRunBody = z.strictObject({
  /** Made by whoever starts it: a start of which nobody knows whether it worked can be repeated with it. */
  id: z.exactOptional(RunId),
  type: Name,
  version: z.exactOptional(Name),
  /** Without it, `undefined`, as for a workflow that takes nothing. */
  payload: z.exactOptional(JsonValue),
  /** The payload is what the schema of the workflow's declaration has made of an input, and is not checked as an input is. */
  converted: z.exactOptional(z.boolean()),
  runAt: z.exactOptional(TimeText),
  priority: z.exactOptional(Priority),
  idempotencyKey: z.exactOptional(Name),
  maxAttempts: z.exactOptional(MaxAttempts),
  tags: z.exactOptional(Tags),
  deadline: z.exactOptional(TimeText),
  deadLetterType: z.exactOptional(Name),
  debounce: z.exactOptional(z.strictObject({ key: Name, delayMs: PositiveMs, maxMs: z.exactOptional(PositiveMs) })),
  deduplicate: z.exactOptional(z.strictObject({ key: Name, forMs: PositiveMs })),
  ttlMs: z.exactOptional(PositiveMs),
});
export type StartRunBody = z.infer<typeof StartRunBody>;

export const StartedRunBody = z.strictObject({
  id: z.string(),
  /** The same start was made before: by its id, or by a key. */
  existed: z.boolean(),
});

/** Of paths below `/v1/runs`. What is no id is that of no run. */
export const RunPath = z.strictObject({ id: z.string() });
export type RunPath = z.infer<typeof RunPath>;

/** With `values=false`, without its input, and its result or error, which may be large. */
export const ShowRun = z.strictObject({ ...InNamespace.shape, values: z.exactOptional(QueryBoolean) });

/** What a request for a result may wait. */
export const WAIT_MS_MAX = 30_000;

export const AwaitRun = z.strictObject({
  ...InNamespace.shape,
  waitMs: queryNumber(0, WAIT_MS_MAX, 0).default(0),
});

/** How a run has ended, or that it has not. */
export const RunOutcome = z.strictObject({
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  /** Of one that has not ended. */
  phase: z.enum(RUN_PHASES).nullable(),
  result: z.exactOptional(JsonValue),
  error: z.exactOptional(JsonValue),
  trace: z.exactOptional(Trace),
});
export type RunOutcome = z.infer<typeof RunOutcome>;

/** Runs that one request waits for. */
const WAITED_MAX = 1_000;

export const WaitForRunsBody = z.strictObject({
  /** What is no id is that of no run. */
  ids: z.array(z.string()).min(1).max(WAITED_MAX),
  waitMs: wholeNumber(0, WAIT_MS_MAX).default(0),
});

/** How one of them has ended: `missing` is one that is not there. */
const EndedRun = z.strictObject({
  id: z.string(),
  status: z.enum(["succeeded", "failed", "cancelled", "deleted", "missing"]),
});
export type EndedRun = z.infer<typeof EndedRun>;

/** Those that have ended, without what they returned; none if that took longer. */
export const EndedRuns = z.strictObject({ items: z.array(EndedRun) });
export type EndedRuns = z.infer<typeof EndedRuns>;

/** Runs to be started in one call. What is no start is a problem of its own, and keeps none of the others from it. */
export const BATCH_MAX = 10_000;
export const StartRunsBody = z.strictObject({
  runs: z
    .array(z.union([StartRunBody, z.unknown()]))
    .min(1)
    .max(BATCH_MAX),
});

/** What became of each, in their order. */
export const StartedRunsBody = z.strictObject({
  items: z.array(z.union([StartedRunBody, z.strictObject({ problem: Problem })])),
});
export type StartedRunsBody = z.infer<typeof StartedRunsBody>;

/** One try of a call. */
export const StepAttempt = z.strictObject({
  call: z.string(),
  attempt: z.int(),
  outcome: z.enum(["succeeded", "failed", "lost"]),
  worker: z.string().nullable(),
  startedAt: AnsweredTime,
  endedAt: AnsweredTime,
  /** When the next one is due, if there is one. */
  retryAt: AnsweredTime.nullable(),
  error: z.exactOptional(JsonValue),
});
export type StepAttempt = z.infer<typeof StepAttempt>;

export const ListAttempts = z.strictObject({
  ...InPages.shape,
  call: z.exactOptional(Name),
  outcome: z.exactOptional(z.enum(["succeeded", "failed", "lost"], "must be succeeded, failed or lost")),
  sort: sortedBy(["startedAt", "endedAt"], "startedAt"),
});

/** One passage through a node of the program. */
export const StepOfRun = z.strictObject({
  call: z.string(),
  /** Of the input that led to it: a rollback to it does the step again. */
  number: z.int(),
  node: z.string(),
  kind: z.enum(["action", "child", "sleep", "signal"]),
  name: z.string(),
  compensation: z.boolean(),
  args: JsonValue,
  status: z.enum(["open", "succeeded", "failed", "abandoned"]),
  result: z.exactOptional(JsonValue),
  error: z.exactOptional(JsonValue),
  startedAt: AnsweredTime,
  endedAt: AnsweredTime.nullable(),
  superseded: z.boolean(),
  attempts: z.array(StepAttempt),
});
export type StepOfRun = z.infer<typeof StepOfRun>;

export const ListSteps = z.strictObject({
  ...InPages.shape,
  kind: z.exactOptional(StepOfRun.shape.kind),
  status: z.exactOptional(StepOfRun.shape.status),
  name: z.exactOptional(Name),
  sort: sortedBy(["number", "startedAt", "endedAt"], "number"),
});

/** Something that a run has taken. */
export const InputOfRun = z.strictObject({
  number: z.int(),
  kind: z.enum(["start", "result", "error", "timer", "signal", "cancel", "undo", "rollback", "fork"]),
  call: z.string().nullable(),
  node: z.string().nullable(),
  name: z.string().nullable(),
  /** Of the result or the error of an action: its name, and when the try began that it came from. */
  action: z.string().nullable(),
  startedAt: AnsweredTime.nullable(),
  at: AnsweredTime,
  superseded: z.boolean(),
  /** If it is asked for: a result, an error, a signal. The start has the payload of the run. */
  value: z.exactOptional(JsonValue),
});
export type InputOfRun = z.infer<typeof InputOfRun>;

/** With `values=true`, a page ends before its values have more than 16 MB. */
export const ListHistory = z.strictObject({
  ...InPages.shape,
  kind: z.exactOptional(InputOfRun.shape.kind),
  values: z.exactOptional(QueryBoolean),
  sort: sortedBy(["number"], "number"),
});

export const EventOfRun = z.strictObject({
  id: z.int(),
  kind: z.string(),
  data: JsonValue,
  at: AnsweredTime,
});
export type EventOfRun = z.infer<typeof EventOfRun>;

export const ListEvents = z.strictObject({
  ...InPages.shape,
  kind: z.exactOptional(
    z.enum(
      RUN_EVENTS.map(({ kind }) => kind),
      "must be a kind of event",
    ),
  ),
  sort: sortedBy(["at"], "at"),
});

/** Of a state: without a number, the newest. */
export const ShowState = z.strictObject({ ...InNamespace.shape, at: z.exactOptional(queryNumber(0, 2 ** 31 - 1)) });

/** What a run had done and knew after it had taken so many inputs. */
export const StateOfRun = z.strictObject({
  number: z.int(),
  /** The time of the input. */
  at: AnsweredTime,
  phase: z.string(),
  /** Functions that wait, and where; whoever waits stands after what it waits for. */
  frames: z.array(
    z.strictObject({
      function: z.string(),
      file: z.string(),
      line: z.int(),
      column: z.int(),
      /** As people read them: long ones are cut. */
      variables: z.record(z.string(), z.unknown()),
      /** Open steps that it waits for, by their calls. */
      calls: z.array(z.string()),
      /** Other functions that it waits for, by their place in the list. */
      frames: z.array(z.int()),
    }),
  ),
  /** Signals that nobody has waited for, by name: how many. */
  signals: z.record(z.string(), z.int()),
  /** Actions that would undo what was done, the next one first. */
  compensations: z.array(z.string()),
  /** Steps that are under way. */
  open: z.array(StepOfRun.pick({ call: true, node: true, kind: true, name: true, compensation: true, args: true })),
});
export type StateOfRun = z.infer<typeof StateOfRun>;

export const CancelRunBody = z.strictObject({ reason: z.exactOptional(storableText(0, REASON_LENGTH_MAX)) }).nullish();

/** For requests that say everything by their path. */
export const EmptyBody = z.strictObject({}).nullish();

/** What was asked for is durable, and happens soon: how the run is now. */
export const AcceptedForRun = z.strictObject({
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  phase: z.enum(RUN_PHASES).nullable(),
});
export type AcceptedForRun = z.infer<typeof AcceptedForRun>;

export const SignalRunBody = z.strictObject({
  name: Name,
  value: z.exactOptional(JsonValue),
  /** The same in a request that is repeated. */
  key: z.exactOptional(Uuid),
});

const InputNumber = wholeNumber(1, 2 ** 31 - 1);

export const RollBackRunBody = z.strictObject({
  /** How many inputs the state had taken that it returns to. */
  to: InputNumber,
  compensate: z.exactOptional(z.boolean()),
  keepChance: z.exactOptional(z.boolean()),
  despiteCompensations: z.exactOptional(z.boolean()),
});

export const ForkRunBody = z.strictObject({
  /** How many inputs the state had taken that it begins with. */
  from: InputNumber,
  id: z.exactOptional(RunId),
  effects: z.exactOptional(
    z.union([z.enum(["forbidden", "allowed"]), z.strictObject({ allow: z.array(Name).max(1_000) })]),
  ),
  compensations: z.exactOptional(z.boolean()),
  keepChance: z.exactOptional(z.boolean()),
  priority: z.exactOptional(Priority),
  tags: z.exactOptional(Tags),
  deadline: z.exactOptional(TimeText),
});

export const ForkedRun = z.strictObject({ id: z.string() });
export type ForkedRun = z.infer<typeof ForkedRun>;

export const DeleteRunQuery = z.strictObject({
  ...InNamespace.shape,
  reason: z.exactOptional(storableText(0, REASON_LENGTH_MAX)),
});
