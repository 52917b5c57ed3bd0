import type { Action, Definition, Workflow } from "cairnjs";
import { checkedEncoding, checkJobInput, decodeCopy, encodeCopy, ENGINE_ERRORS } from "cairnjs/host";
import type { ScheduleBook } from "../scheduler/schedule-book.ts";
import { checkedTime, type ScheduleOptions } from "../scheduler/schedule-options.ts";
import type { ScheduleKey, ScheduleRow } from "../store/schedules.ts";
import { checkBoolean, checkInteger, checkNames, refuse } from "./start-options.ts";

/** What a schedule starts: a workflow, an action, or the type of one. */
export type Scheduled = string | Workflow<never, unknown> | Action<never, unknown>;

export interface UpsertScheduleOptions<Input = unknown> extends ScheduleOptions {
  /** What all its runs get. */
  readonly input?: Input;
  /** With false, one that is paused stays so: for what a process says whenever it starts. */
  readonly reactivate?: boolean;
}

/** Of an action that takes several arguments: nothing fits. */
interface AJobHasOnePayload {
  readonly "~takes": never;
}

type InputOf<Args extends unknown[]> = Args extends []
  ? UpsertScheduleOptions<undefined>
  : [] extends Args
    ? UpsertScheduleOptions<Args[0]>
    : [Args[0]] extends Args
      ? UpsertScheduleOptions<Args[0]> & { readonly input: Args[0] }
      : AJobHasOnePayload;

export interface Schedule extends Pick<
  ScheduleRow,
  | "type"
  | "name"
  | "cron"
  | "timeZone"
  | "everyMs"
  | "jitterMs"
  | "priority"
  | "maxAttempts"
  | "tags"
  | "deadlineMs"
  | "deadLetterType"
  | "allowDuplicate"
  | "catchUp"
  | "status"
  | "pauseReason"
  | "lastRunId"
  | "fired"
  | "skipped"
  | "missed"
  | "lastError"
> {
  readonly input: unknown;
  readonly anchor: Date | null;
  /** Null: never again, or it is paused. */
  readonly nextRunAt: Date | null;
  readonly lastRunAt: Date | null;
  /** For which time the last run was; null if somebody wanted it at once. */
  readonly lastDueAt: Date | null;
  readonly lastSkippedAt: Date | null;
  readonly lastErrorAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SchedulesListFilter {
  readonly type?: string;
  readonly status?: "active" | "paused";
  /** Those that come after this one, in the order of types and names. */
  readonly after?: { readonly type: string; readonly name: string };
  /** 100 if nothing is said. */
  readonly limit?: number;
}

export interface SchedulesContext {
  readonly namespace: string;
  readonly book: ScheduleBook;
  /** What a workflow, an action or a name is here, registered. */
  readonly resolve: (
    type: Scheduled,
  ) => Promise<{ readonly type: string; readonly definition: Definition | undefined }>;
}

const LIMIT_MAX = 1_000;

/** Schedules of a namespace, for people who write TypeScript. */
export class Schedules {
  readonly #context: SchedulesContext;

  constructor(context: SchedulesContext) {
    this.#context = context;
  }

  /** Makes a schedule of this name, or makes it what is said. */
  async upsert<Args extends [input?: unknown]>(
    workflow: Workflow<Args, unknown>,
    name: string,
    options: InputOf<Args>,
  ): Promise<Schedule>;
  async upsert<Args extends unknown[]>(
    action: Action<Args, unknown>,
    name: string,
    options: InputOf<Args>,
  ): Promise<Schedule>;
  async upsert(type: string, name: string, options: UpsertScheduleOptions): Promise<Schedule>;
  async upsert(what: unknown, name: string, options: UpsertScheduleOptions): Promise<Schedule> {
    const { type, definition } = await this.#context.resolve(what as Scheduled);
    const { input, reactivate = true, ...said } = options;
    checkBoolean("reactivate", reactivate);
    const copy = encodeCopy(input, "input");
    if (definition?.kind === "action") await checkJobInput(definition, copy);
    const encoded = definition?.kind === "workflow" ? await checkedEncoding(definition, copy) : copy;
    const saved = { ...said, payload: encoded.text, checked: definition !== undefined };
    return shown(await this.#context.book.upsert(this.#key(type, name), saved, reactivate));
  }

  /** In the order of types and names. */
  async list(filter: SchedulesListFilter = {}): Promise<Schedule[]> {
    checkNames("A list of schedules", filter, new Set(["type", "status", "after", "limit"]));
    const { type = null, status = null, after = null, limit = 100 } = filter;
    checkInteger("limit", limit, 1, LIMIT_MAX);
    if (status !== null && status !== "active" && status !== "paused") refuse('status is "active" or "paused"');
    return (await this.#context.book.list(this.#context.namespace, { type, status, after, limit })).map(shown);
  }

  async show(what: Scheduled, name: string): Promise<Schedule> {
    return shown(await this.#context.book.show(await this.#keyOf(what, name)));
  }

  /** The next due times, as if it were not paused. */
  async upcoming(what: Scheduled, name: string, count = 10): Promise<Date[]> {
    checkInteger("count", count, 1, LIMIT_MAX);
    const times = await this.#context.book.upcoming(await this.#keyOf(what, name), count);
    return times.map((at) => new Date(at));
  }

  /** Nothing is started until it is resumed. */
  async pause(what: Scheduled, name: string, reason?: string): Promise<Schedule> {
    return shown(await this.#context.book.pause(await this.#keyOf(what, name), reason ?? null));
  }

  /** What was due while it was paused is not caught up. */
  async resume(what: Scheduled, name: string): Promise<Schedule> {
    return shown(await this.#context.book.resume(await this.#keyOf(what, name)));
  }

  /** A run now, whatever is due when. Its id. Refused with `ScheduleBusy` beside a run that lives, unless that is allowed. */
  async trigger(what: Scheduled, name: string, options: { readonly allowDuplicate?: boolean } = {}): Promise<string> {
    checkNames("A trigger", options, new Set(["allowDuplicate"]));
    const { allowDuplicate = null } = options;
    if (allowDuplicate !== null) checkBoolean("allowDuplicate", allowDuplicate);
    return this.#context.book.trigger(await this.#keyOf(what, name), allowDuplicate);
  }

  /** A run for each due time from `from` to `to` that has none. Returns how many. */
  async backfill(what: Scheduled, name: string, from: Date, to: Date): Promise<number> {
    const times = [checkedTime("from", from), checkedTime("to", to)] as const;
    return this.#context.book.backfill(await this.#keyOf(what, name), ...times);
  }

  /** Its runs stay. */
  async delete(what: Scheduled, name: string): Promise<void> {
    await this.#context.book.delete(await this.#keyOf(what, name));
  }

  async #keyOf(what: Scheduled, name: string): Promise<ScheduleKey> {
    return this.#key((await this.#context.resolve(what)).type, name);
  }

  #key(type: string, name: string): ScheduleKey {
    return { namespace: this.#context.namespace, type, name };
  }
}

function shown(row: ScheduleRow): Schedule {
  const { id: _, revision: __, namespace: ___, payload, ...rest } = row;
  return {
    ...rest,
    input: decodeCopy({ text: payload, classes: ENGINE_ERRORS }),
    anchor: dateOf(row.anchor),
    nextRunAt: dateOf(row.nextRunAt),
    lastRunAt: dateOf(row.lastRunAt),
    lastDueAt: dateOf(row.lastDueAt),
    lastSkippedAt: dateOf(row.lastSkippedAt),
    lastErrorAt: dateOf(row.lastErrorAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  };
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
