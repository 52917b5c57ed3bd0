import { PathName } from "@cairnjs/schemas";
import type { Duration } from "cairnjs";
import { durationMs } from "cairnjs/host";
import { EngineError } from "../library/engine-error.ts";
import { parseNoun } from "../library/parse-noun.ts";
import {
  checkBoolean,
  checkNames,
  checkStartOptions,
  checkText,
  NAME_LENGTH_MAX,
  refuse,
} from "../library/start-options.ts";
import type { CatchUp, ScheduleSettings } from "../store/schedules.ts";
import { nextTimes, type Times, Timetable, type Timing } from "./timetable.ts";

export interface ScheduleOptions {
  /** Minute, hour, day of the month, month, day of the week; with a sixth field in front: the second. */
  readonly cron?: string;
  /** Whose clocks a cron expression is about, as `Europe/Berlin`. `UTC` if nothing is said. */
  readonly timeZone?: string;
  /** Instead of a cron expression: how long after each other. */
  readonly every?: Duration;
  /** One of the times of an interval; without it, that at which it was made. */
  readonly anchor?: Date;
  /** Runs begin up to so long after they are due: each its own length, the same wherever it is computed. */
  readonly jitter?: Duration;
  /** Whether one starts while a run of this schedule lives; else it is skipped. */
  readonly allowDuplicate?: boolean;
  /** What becomes of those that were missed, since nobody was there: `last` if nothing is said. */
  readonly catchUp?: CatchUp;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly tags?: readonly string[];
  /** A run that has not ended so long after it began is cancelled, and fails with `DeadlineExceeded`. */
  readonly deadline?: Duration;
  readonly deadLetterType?: string;
}

/** Larger inputs would be kept again for each run. */
const INPUT_BYTES_MAX = 256 * 1024;
const EVERY_MS_MIN = 1_000;
const LENGTH_MS_MAX = 36_500 * 24 * 60 * 60 * 1_000;
/** So many of the next times are looked at for how close they are. */
const GAPS_LOOKED_AT = 50;
const EXAMPLE = 'for example "30 9 * * MON-FRI": half past nine from Monday to Friday';

const KNOWN = new Set([
  "input",
  "reactivate",
  "cron",
  "timeZone",
  "every",
  "anchor",
  "jitter",
  "allowDuplicate",
  "catchUp",
  "priority",
  "maxAttempts",
  "tags",
  "deadline",
  "deadLetterType",
]);

/** Throws an EngineError that says what is wrong, if anything is. `payload` is in the tagged encoding. */
export function checkedSettings(options: ScheduleOptions, payload: string, now: number): ScheduleSettings {
  checkNames("A schedule", options, KNOWN);
  const { cron, every, anchor, timeZone = "UTC", allowDuplicate = false, catchUp = "last", tags = [] } = options;
  const { priority, maxAttempts, deadLetterType } = options;
  const inputBytes = Buffer.byteLength(payload);
  if (inputBytes > INPUT_BYTES_MAX) {
    throw new EngineError("PayloadTooLarge", `The input of a schedule has at most ${INPUT_BYTES_MAX} bytes`);
  }
  checkStartOptions(definedOf({ priority, maxAttempts, tags, deadLetterType }), now);
  checkBoolean("allowDuplicate", allowDuplicate);
  if (!["none", "last", "all"].includes(catchUp)) refuse('catchUp is "none", "last" or "all"');
  if ((cron === undefined) === (every === undefined)) {
    refuse(`A schedule has either cron or every, ${cron === undefined ? "and not neither" : "and not both"}`);
  }
  if (every === undefined && anchor !== undefined)
    refuse("anchor is for schedules with every: a cron expression has none");
  if (every !== undefined && options.timeZone !== undefined)
    refuse("timeZone is for schedules with cron: every has none");
  const everyMs = lengthOf("every", every, EVERY_MS_MIN);
  const jitterMs = lengthOf("jitter", options.jitter, 0) ?? 0;
  const anchorMs = anchor === undefined ? null : checkedTime("anchor", anchor);
  const timing = everyMs === null ? { cron: cron!, timeZone } : { everyMs, anchorMs: anchorMs ?? now };
  checkTiming(timing, jitterMs, now);
  return {
    cron: cron ?? null,
    timeZone: cron === undefined ? null : timeZone,
    everyMs,
    anchor: anchorMs,
    jitterMs,
    payload,
    priority: priority ?? 0,
    maxAttempts: maxAttempts ?? null,
    tags,
    deadlineMs: lengthOf("deadline", options.deadline, 1),
    deadLetterType: deadLetterType ?? null,
    allowDuplicate,
    catchUp,
  };
}

/** For whoever checks names of options: those that are undefined were not given. */
function definedOf<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}

export function checkScheduleName(name: string): void {
  checkText("The name of a schedule", name, 1, NAME_LENGTH_MAX);
  parseNoun(PathName, "The name of a schedule", name);
}

export function checkedTime(name: string, value: Date): number {
  const year = value instanceof Date ? value.getUTCFullYear() : Number.NaN;
  if (!(year >= 1970 && year <= 9999)) refuse(`${name} is a Date from the year 1970 to 9999`);
  return value.getTime();
}

function lengthOf(name: string, duration: Duration | undefined, least: number): number | null {
  if (duration === undefined) return null;
  const ms = durationMs(duration);
  if (ms >= least && ms <= LENGTH_MS_MAX) return Math.round(ms);
  return refuse(`${name} is a duration of at least ${least} ms, such as "90 s"`);
}

function checkTiming(timing: Timing, jitterMs: number, now: number): void {
  const timetable = new Timetable();
  const times = "cron" in timing ? readCron(timing, timetable) : timetable.times(timing);
  if (times.next(now) === null)
    refuse(`The cron expression ${"cron" in timing ? `"${timing.cron}" ` : ""}is never due`);
  if (jitterMs === 0) return;
  const next = nextTimes(timing, now, "cron" in timing ? GAPS_LOOKED_AT : 2, timetable);
  const gap = next.slice(1).reduce((least, at, index) => Math.min(least, at - next[index]!), Infinity);
  if (jitterMs > gap) refuse(`jitter is longer than the ${gap} ms between two times of the schedule`);
}

function readCron({ cron, timeZone }: { cron: string; timeZone: string }, timetable: Timetable): Times {
  checkText("cron", cron, 1, NAME_LENGTH_MAX);
  checkZone(timeZone);
  const fields = cron.trim().split(/\s+/);
  const isNamed = fields.length === 1 && cron.startsWith("@");
  if (!isNamed && fields.length !== 5 && fields.length !== 6) {
    refuse(
      `The cron expression "${cron}" has ${fields.length} field${fields.length === 1 ? "" : "s"}: it takes minute, hour, day, ` +
        `month and weekday, and may have the second in front; ${EXAMPLE}`,
    );
  }
  try {
    return timetable.times({ cron, timeZone });
  } catch (error) {
    const reason = (error as Error).message.replace(/^\w+: /, "").replace(/\.$/, "");
    return refuse(`The cron expression "${cron}" is malformed: ${reason}; ${EXAMPLE}`);
  }
}

function checkZone(timeZone: string): void {
  checkText("timeZone", timeZone, 1, NAME_LENGTH_MAX);
  // Later releases of Node.js take offsets too, of which it is not said that they are in all.
  if (/^[A-Za-z]/.test(timeZone) && isZone(timeZone)) return;
  const wanted = timeZone.toLowerCase().replaceAll(" ", "_");
  const similar = Intl.supportedValuesOf("timeZone").find((name) => name.toLowerCase().split("/").at(-1) === wanted);
  refuse(
    `"${timeZone}" is no time zone. ${similar === undefined ? 'One is "Europe/Berlin"' : `Did you mean "${similar}"?`}`,
  );
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
