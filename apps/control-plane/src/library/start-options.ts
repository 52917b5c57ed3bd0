import { Traceparent, Uuid } from "@cairnjs/schemas";
import { isRunId, timeOfRunId } from "../ids.ts";
import type { Duration } from "cairnjs";
import type * as client from "cairnjs/client";
import { durationMs } from "cairnjs/host";
import type { StartShape } from "../store/start-shaped.ts";
import { isStorableText } from "../store/storable-text.ts";
import { EngineError } from "./engine-error.ts";

export interface StartRunOptions extends client.StartRunOptions {
  /** The span that the start belongs to, as W3C's `traceparent` says it; without it, the one that is active where it is called. */
  readonly traceparent?: string;
}

/** Larger values are refused: keep such things elsewhere, and pass where they are. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;
const KEY_LENGTH_MAX = 500;
const TAGS_MAX = 50;
const TAG_LENGTH_MAX = 200;
const ATTEMPTS_MAX = 1_000;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const KNOWN = new Set([
  "id",
  "version",
  "runAt",
  "priority",
  "idempotencyKey",
  "maxAttempts",
  "tags",
  "deadline",
  "deadLetterType",
  "debounce",
  "deduplicate",
  "ttl",
  "traceparent",
]);

/** Throws an EngineError that says what is wrong with the options, if anything is. */
export function checkStartOptions(options: StartRunOptions, now: number): void {
  checkNames("A run", options, KNOWN);
  const { id, priority, maxAttempts, idempotencyKey, tags = [], runAt, deadline } = options;
  if (id !== undefined && !(isRunId(id) && isOfAboutNow(timeOfRunId(id), now))) {
    throw new EngineError("InvalidId", `"${id}" is no UUID of version 7 of the last day or the next hour`);
  }
  if (priority !== undefined) checkInteger("The priority", priority, -100, 100);
  if (maxAttempts !== undefined) checkInteger("maxAttempts", maxAttempts, 1, ATTEMPTS_MAX);
  const { version, deadLetterType } = options;
  for (const [name, text] of Object.entries({ idempotencyKey, version, deadLetterType })) {
    if (text !== undefined) checkText(name, text, 1, KEY_LENGTH_MAX);
  }
  if (!Array.isArray(tags) || tags.length > TAGS_MAX) refuse(`tags is an array of at most ${TAGS_MAX} texts`);
  tags.forEach((tag, index) => checkText(`tags[${index}]`, tag, 1, TAG_LENGTH_MAX));
  if (options.traceparent !== undefined && !isTraceparent(options.traceparent)) {
    refuse("traceparent is one of version 00, as W3C defines it");
  }
  checkTime("runAt", runAt);
  checkTime("deadline", deadline);
  if (deadline !== undefined && deadline.getTime() <= now) {
    throw new EngineError("DeadlinePassed", `The deadline ${deadline.toISOString()} has passed`);
  }
  if (deadline !== undefined && runAt !== undefined && deadline <= runAt) {
    refuse("The run would begin after its deadline");
  }
}

/** A start may be tried again for a day. Clocks of others are not an hour fast: so little is looked at for runs of a time (`idRange`). */
function isOfAboutNow(time: number, now: number): boolean {
  return time >= now - DAY_MS && time <= now + HOUR_MS;
}

export function isTraceparent(text: string): boolean {
  return Traceparent.safeParse(text).success;
}

/** What makes starts one run, or a run too late, if anything does. */
export function shapeOf(options: StartRunOptions): StartShape | null {
  const { debounce, deduplicate, ttl, runAt, idempotencyKey, tags = [] } = options;
  if (debounce === undefined && deduplicate === undefined && ttl === undefined) return null;
  const keys = [debounce, deduplicate, idempotencyKey].filter((each) => each !== undefined);
  if (keys.length > 1) refuse("A run has one of debounce, deduplicate and idempotencyKey");
  if (debounce !== undefined) {
    checkNames("debounce", debounce, new Set(["key", "delay", "max"]));
    checkText("debounce.key", debounce.key, 1, KEY_LENGTH_MAX);
    if (runAt !== undefined) refuse("A run with debounce has no runAt: it begins after the delay");
  }
  if (deduplicate !== undefined) {
    checkNames("deduplicate", deduplicate, new Set(["key", "for"]));
    checkText("deduplicate.key", deduplicate.key, 1, KEY_LENGTH_MAX);
  }
  return {
    debounce:
      debounce === undefined
        ? null
        : {
            key: debounce.key,
            delay: lengthOf("debounce.delay", debounce.delay),
            ...(debounce.max === undefined ? {} : { max: lengthOf("debounce.max", debounce.max) }),
          },
    deduplicate:
      deduplicate === undefined ? null : { key: deduplicate.key, for: lengthOf("deduplicate.for", deduplicate.for) },
    ttl: ttl === undefined ? null : lengthOf("ttl", ttl),
    tags,
  };
}

const LENGTH_MS_MAX = 36_500 * DAY_MS;

function lengthOf(name: string, duration: Duration): number {
  const ms = durationMs(duration);
  if (!(ms >= 1 && ms <= LENGTH_MS_MAX)) refuse(`${name} is a duration of at least a millisecond, such as "90 s"`);
  return Math.round(ms);
}

/** Whether they are an object with these keys alone. */
export function checkNames(whose: string, options: object, known: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) refuse("The options are an object");
  const unknown = Object.keys(options).find((key) => !known.has(key));
  if (unknown !== undefined) refuse(`${whose} has no option "${unknown}". There are ${[...known].join(", ")}`);
}

/** A whole number of a range. */
export function checkInteger(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    refuse(`${name} is a whole number from ${least} to ${most}, not ${shown(value)}`);
  }
}

export function checkBoolean(name: string, value: unknown): void {
  if (typeof value !== "boolean") refuse(`${name} is true or false, not ${shown(value)}`);
}

/** A text is told from what it looks like. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Of workflows, versions and signals, in characters. */
export const NAME_LENGTH_MAX = 500;

export function checkText(name: string, value: string, lengthMin: number, lengthMax: number): void {
  if (typeof value !== "string" || value.length < lengthMin || value.length > lengthMax) {
    refuse(`${name} is a text of ${lengthMin} to ${lengthMax} characters`);
  }
  if (!isStorableText(value)) {
    refuse(`${name} has a character that cannot be stored: NUL, or half of a surrogate pair`);
  }
}

/** What tells a request from all others. */
export function checkKey(key: string): void {
  if (!Uuid.safeParse(key).success) refuse("The key is a UUID, in small letters");
}

/** Of what is stored for a run: its input, a signal. */
export function checkSize(what: string, text: string): void {
  checkBytes(what, Buffer.byteLength(text));
}

export function checkBytes(what: string, bytes: number): void {
  if (bytes <= PAYLOAD_BYTES_MAX) return;
  throw new EngineError("PayloadTooLarge", `${what} has more than ${PAYLOAD_BYTES_MAX} bytes`);
}

/** Times that are read as they were written. */
function checkTime(name: string, value: Date | undefined): void {
  if (value === undefined) return;
  const year = value instanceof Date ? value.getUTCFullYear() : Number.NaN;
  if (!(year >= 1 && year <= 9999)) refuse(`${name} is a Date from the year 1 to 9999`);
}

export function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
