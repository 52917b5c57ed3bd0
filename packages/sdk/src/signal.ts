import { requireOutsideOfActions } from "./action-context.ts";
import { decodeCopy, type EncodedCopy } from "./copy.ts";
import { requireName } from "./definition.ts";
import { durablePromise, refused } from "./durable-promise.ts";
import { declareSignal } from "./declared.ts";
import { SignalTimeout } from "./errors.ts";
import { type Duration, durationMs } from "./options.ts";
import { signalsAtHand, withinSignals } from "./run-context.ts";
import { IN_MEMORY } from "./sealing.ts";
import { checkedSignal } from "./signal-value.ts";
import { sleep } from "./sleep.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

export interface WaitOptions {
  /** Then the wait rejects with `SignalTimeout`. */
  readonly timeout?: Duration | Date;
}

/** Something that people or other systems tell a run. `Sent` is what they give, `T` what a schema makes of it. */
export interface Signal<T, Sent = T> {
  readonly name: string;
  /** For types alone. */
  readonly "~sent"?: Sent;
  /** Takes the next one of this name; those that came before anyone waited count too. */
  wait(options?: WaitOptions): Promise<T>;
}

/** With a schema (Zod, Valibot, ArkType…), what does not fit is refused where it is sent. */
export function signal<T = unknown, Sent = T>(name: string, schema?: StandardSchema<Sent, T>): Signal<T, Sent> {
  requireName(name, "signal");
  if (schema !== undefined) {
    if (!isStandardSchema(schema)) {
      throw new TypeError(`signal("${name}") takes a schema (Zod, Valibot, ArkType…) as its second argument`);
    }
    declareSignal(name, schema);
  }
  return new NamedSignal(name);
}

/** Values by the signal's name, in the order in which they arrive. */
export type SignalValues = Readonly<Record<string, readonly unknown[]>>;

/**
 * For unit tests that call a workflow as a plain function: runs `work`, and each `wait()` in it, in children too, takes
 * the next value of its name. Once a name has none left its waits stay open, as on the engine, or time out. A name that
 * is not given at all is a mistake of the test, and its waits say so. Throws InvalidInput for a value that does not fit
 * the signal's schema.
 */
export function withSignals<T>(signals: SignalValues, work: () => T): T {
  const queues = new Map<string, EncodedCopy[]>();
  for (const [name, values] of Object.entries(signals)) {
    if (!Array.isArray(values)) throw new TypeError(`withSignals() takes an array of values for "${name}"`);
    queues.set(
      name,
      values.map((value, index) => checkedSignal(name, value, `signals.${name}[${index}]`, IN_MEMORY)),
    );
  }
  return withinSignals(queues, work);
}

/** Called as a plain function, a workflow takes its signals from `withSignals`. */
class NamedSignal<T, Sent> implements Signal<T, Sent> {
  declare readonly name: string;

  constructor(name: string) {
    Object.defineProperty(this, "name", { value: name });
  }

  wait(options?: WaitOptions): Promise<T> {
    if (!(this instanceof NamedSignal)) throw new TypeError("wait() belongs to a signal");
    requireOutsideOfActions("wait() of a signal");
    const until = wakeTime(options);
    if (Number.isNaN(until)) return refused(new RangeError("the timeout of wait() must be a duration or a Date"));
    const queue = signalsAtHand()?.get(this.name);
    if (queue === undefined) return refused(nobodySends(this.name, signalsAtHand() !== undefined));
    const next = queue.shift();
    if (next !== undefined) return durablePromise(Promise.resolve(decodeCopy(next, IN_MEMORY) as T));
    return until === null ? new Promise<T>(() => {}) : durablePromise(timedOut(this.name, until));
  }
}

/** null: never; NaN: the timeout is none. */
function wakeTime(options: WaitOptions | undefined): number | null {
  if (options === undefined) return null;
  if (typeof options !== "object" || options === null || options.timeout === null) {
    throw new TypeError('wait() takes an object such as { timeout: "1 day" }');
  }
  const { timeout } = options;
  if (timeout === undefined) return null;
  if (timeout instanceof Date) return timeout.getTime();
  const ms = durationMs(timeout);
  return Number.isFinite(ms) ? Date.now() + Math.max(0, Math.ceil(ms)) : Number.NaN;
}

async function timedOut(name: string, until: number): Promise<never> {
  await sleep(new Date(until));
  throw new SignalTimeout(`No signal '${name}' arrived in time`);
}

function nobodySends(name: string, othersAreSent: boolean): Error {
  if (othersAreSent) {
    return new Error(
      `withSignals() was given no signal "${name}". Give its values, or \`${JSON.stringify(name)}: []\` if none is to come.`,
    );
  }
  return new Error(
    `Nobody can send the signal "${name}" to a workflow that was called as a plain function. ` +
      `Call it inside \`withSignals({ ${JSON.stringify(name)}: [value] }, () => …)\`, ` +
      "or run it with `cairn try --signals` or with testRun() of cairnjs/testing.",
  );
}
