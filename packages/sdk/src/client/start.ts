import type { Action } from "../action.ts";
import type { EncodedCopy } from "../copy.ts";
import { type Duration, durationMs } from "../options.ts";
import type { JobArguments, StartArguments } from "../start-arguments.ts";
import { type StartForm, startFormOf } from "../start-form.ts";
import type { Workflow } from "../workflow.ts";
import { askedOnce } from "./asked-once.ts";
import type { Transport } from "./transport.ts";
import type { Values } from "./values.ts";

export interface StartRunOptions {
  /** A UUID of version 7, of about now: a start of which nobody knows whether it worked can be repeated with it. Without it, one is made. */
  readonly id?: string;
  /** The version of the workflow; without it, the current one. */
  readonly version?: string;
  /** Not before this time. */
  readonly runAt?: Date;
  /** From -100 to 100; higher ones first. */
  readonly priority?: number;
  /** A second start with this key is the first one. */
  readonly idempotencyKey?: string;
  readonly maxAttempts?: number;
  readonly tags?: readonly string[];
  /** When the run has not ended then, it is cancelled, and fails with `DeadlineExceeded`. */
  readonly deadline?: Date;
  /** A run of this type is started with the input and the error if this one fails. */
  readonly deadLetterType?: string;
  /**
   * Starts with the same key are one run while it has not begun: each gives it its input, and it begins `delay` after the last
   * one; `max` after the first one at the latest.
   */
  readonly debounce?: { readonly key: string; readonly delay: Duration; readonly max?: Duration };
  /** A start with the same key within this time is the first one, whatever its input. */
  readonly deduplicate?: { readonly key: string; readonly for: Duration };
  /** A run that has not begun so long after it was due never begins: it is cancelled with `Expired`. */
  readonly ttl?: Duration;
}

/** A workflow or an action, whose type says what is taken and returned. */
export type Startable = Workflow<never, unknown> | Action<never, unknown>;

/** What it takes to start one of these. */
type ArgumentsOf<Flow, Options> =
  Flow extends Workflow<infer Args, unknown>
    ? StartArguments<Args, Options>
    : Flow extends Action<infer Args, unknown>
      ? JobArguments<Args, Options>
      : never;

/** The one thing that it is given. */
type InputOf<Flow> = ArgumentsOf<Flow, StartRunOptions>[0];

/** What stands behind a name: a workflow or an action, or only what it takes. */
export type NamedArguments<Named> = [Named] extends [Startable]
  ? ArgumentsOf<Named, StartRunOptions>
  : [undefined] extends [Named]
    ? [input?: Named, options?: StartRunOptions]
    : [input: Named, options?: StartRunOptions];
export type NamedInput<Named> = [Named] extends [Startable] ? InputOf<Named> : Named;
export type NamedResult<Named, Result> = [Named] extends [Startable] ? ResultOf<Named> : Result;

export type ResultOf<Flow> = Flow extends (...args: never[]) => Promise<infer Result> ? Result : never;

/** A start as it goes over the wire, but for its id. */
export interface PreparedStart {
  /** JSON, without its last brace. */
  readonly open: string;
  readonly id: string | undefined;
}

export async function prepared(
  values: Values,
  type: unknown,
  { input, id, ...said }: StartRunOptions & { readonly input?: unknown },
): Promise<PreparedStart> {
  const form = await formOf(type, await values.encode(input, "input"));
  const body = { type: form.type, ...wireOptions(said), ...(form.converted ? { converted: true } : {}) };
  return { open: `${JSON.stringify(body).slice(0, -1)},"payload":${form.text}`, id };
}

/** A start with its id: the same text each time that it is made again. */
export function bodyOf({ open }: PreparedStart, id: string): string {
  return `${open},"id":${JSON.stringify(id)}}`;
}

/** Makes a run with this id: an error says the id if the run may be there. */
export async function makeRun(transport: Transport, id: string, path: string, body: string): Promise<string> {
  const doubt = { inDoubt: id, says: `the run ${id} may be there` };
  return (await askedOnce<{ id: string }>(transport, { path, body }, doubt)).id;
}

async function formOf(type: unknown, input: EncodedCopy): Promise<StartForm> {
  if (typeof type === "string") return { type, text: input.text, converted: false };
  const form = startFormOf(type);
  if (form === undefined) {
    throw new TypeError("This takes a workflow, an action, or the name of one, as workflow() and action() return them");
  }
  return form(input);
}

/** Lengths of time are milliseconds there, and times are texts. What is no option is refused there. */
function wireOptions({ runAt, deadline, debounce, deduplicate, ttl, ...same }: Omit<StartRunOptions, "id">): object {
  return {
    ...same,
    ...(runAt === undefined ? {} : { runAt: timeText("runAt", runAt) }),
    ...(deadline === undefined ? {} : { deadline: timeText("deadline", deadline) }),
    ...(debounce === undefined
      ? {}
      : {
          debounce: {
            key: debounce.key,
            delayMs: wholeMs("debounce.delay", debounce.delay),
            ...(debounce.max === undefined ? {} : { maxMs: wholeMs("debounce.max", debounce.max) }),
          },
        }),
    ...(deduplicate === undefined
      ? {}
      : { deduplicate: { key: deduplicate.key, forMs: wholeMs("deduplicate.for", deduplicate.for) } }),
    ...(ttl === undefined ? {} : { ttlMs: wholeMs("ttl", ttl) }),
  };
}

export function timeText(name: string, time: Date): string {
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new TypeError(`${name} is a Date`);
}

export function wholeMs(name: string, duration: Duration): number {
  const ms = Math.round(durationMs(duration));
  if (!Number.isSafeInteger(ms) || ms < 0) throw new TypeError(`${name} is a duration such as "90 s"`);
  return ms;
}
