import { NotStorable, decodeNative, encodeNative, parseDuration, TIME_MAX } from "@cairnjs/ir";
import type { NativeRun } from "./native-run.ts";

type AsyncFunction = (...args: unknown[]) => Promise<unknown>;

/** What the module declared with `action` and `workflow`. */
export interface Declarations {
  readonly actions: Map<string, AsyncFunction>;
  readonly workflows: Map<string, AsyncFunction>;
}

class EngineFailure extends Error {}
class ActionTimeout extends EngineFailure {}
class ActionCancelled extends EngineFailure {}
class RunCancelled extends EngineFailure {}
class SignalTimeout extends EngineFailure {}
class NoHandlerRegistered extends EngineFailure {}
class StepChanged extends EngineFailure {}
class InvalidInput extends EngineFailure {}
class InvalidOutput extends EngineFailure {}

const ENGINE_ERRORS = {
  ActionTimeout,
  ActionCancelled,
  RunCancelled,
  SignalTimeout,
  NoHandlerRegistered,
  NotStorable,
  StepChanged,
  InvalidInput,
  InvalidOutput,
};

// Their parent is Error itself: the class in between only saves their constructors.
for (const [name, errorClass] of Object.entries(ENGINE_ERRORS)) {
  if (errorClass === NotStorable) continue;
  Object.setPrototypeOf(errorClass, Error);
  Object.setPrototypeOf(errorClass.prototype, Error.prototype);
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
}

export { ENGINE_ERRORS, RunCancelled, SignalTimeout };

/**
 * The stubs that stand for `cairnjs` in the oracle. Durable calls copy their arguments through the codec and give
 * a promise that the run settles, one per macrotask.
 */
export function cairnStub(run: NativeRun, declared: Declarations): Record<string, unknown> {
  return {
    ...ENGINE_ERRORS,
    action: (name: string, ...rest: unknown[]) => {
      declared.actions.set(name, rest.at(-1) as AsyncFunction);
      return durable(run, "call", name, null);
    },
    workflow: (name: string, ...rest: unknown[]) => {
      declared.workflows.set(name, rest.at(-1) as AsyncFunction);
      return durable(run, "child", name, null);
    },
    sleep: (duration: unknown) => sleep(run, duration),
    signal: (name: string) =>
      Object.defineProperty({ wait: (options?: { timeout?: unknown }) => wait(run, name, options) }, "name", {
        value: name,
      }),
    compensate: (action: { durableName: string }, ...args: unknown[]) => {
      run.compensate(action.durableName, encodeNative(args, { ...run.codec, root: "arguments" }));
    },
    emit: (type: string, data: unknown) => {
      run.note("emit", [type], [encodeNative(data, { ...run.codec, root: "data" })]);
    },
    progress: (value: unknown) => {
      run.note("progress", [], [encodeNative(value, run.codec)]);
    },
    runInfo: () => decodeNative(run.info),
    step: (name: string, _arrow: unknown, captures: () => unknown) =>
      run.issue(
        "call",
        `${run.workflow}/${name}`,
        () => encodeNative([captures()], { ...run.codec, root: "arguments" }),
        null,
        null,
      ),
    mapLimit,
  };
}

function durable(
  run: NativeRun,
  kind: "call" | "child",
  name: string,
  options: Record<string, unknown> | null,
): AsyncFunction {
  const encodedOptions = options === null ? null : encodeNative(options);
  const call = (...args: unknown[]): Promise<unknown> =>
    run.issue(
      kind,
      name,
      () =>
        kind === "call"
          ? encodeNative(args, { ...run.codec, root: "arguments" })
          : encodeNative(args[0], { ...run.codec, root: "input" }),
      null,
      encodedOptions,
    );
  Object.defineProperty(call, "name", { value: name });
  return Object.assign(call, {
    durableName: name,
    with: (more: Record<string, unknown>) => durable(run, kind, name, { ...options, ...more }),
    start: (input: unknown, startOptions?: unknown) =>
      run.issue(
        "start",
        name,
        () => encodeNative(input, { ...run.codec, root: "input" }),
        null,
        startOptions === undefined ? encodedOptions : encodeNative(startOptions),
      ),
  });
}

function sleep(run: NativeRun, duration: unknown): Promise<unknown> {
  const until = wakeTime(run, duration);
  if (until === null) return Promise.reject(new RangeError("a duration that sleep() does not take"));
  return run.issue("sleep", "", () => "", until, null);
}

function wait(run: NativeRun, name: string, options: { timeout?: unknown } | undefined): Promise<unknown> {
  let until: number | null = null;
  if (options?.timeout !== undefined) {
    until = wakeTime(run, options.timeout);
    if (until === null) return Promise.reject(new RangeError("the timeout of wait() must be a duration or a Date"));
  }
  const promise = run.issue("wait", name, () => "", until, null);
  run.giveSignals(name);
  return promise;
}

function wakeTime(run: NativeRun, duration: unknown): number | null {
  if (duration instanceof Date) return Number.isNaN(duration.getTime()) ? null : duration.getTime();
  const ms =
    typeof duration === "number" ? duration : typeof duration === "string" ? parseDuration(duration) : Number.NaN;
  const wakeAt = run.at + Math.max(0, Math.ceil(ms));
  return Number.isFinite(ms) && wakeAt <= TIME_MAX ? wakeAt : null;
}

async function mapLimit(items: Iterable<unknown>, limit: unknown, fn: unknown): Promise<unknown[]> {
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1)
    throw new RangeError("mapLimit() takes a whole number of at least 1 as its limit");
  if (typeof fn !== "function") throw new TypeError("mapLimit() takes a function as its last argument");
  const list = [...items];
  const results: unknown[] = [];
  results.length = list.length;
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < list.length && !failed) {
      const index = next++;
      try {
        results[index] = await (fn as (item: unknown, index: number) => unknown)(list[index], index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes: Promise<void>[] = [];
  for (let count = 0; count < limit && count < list.length; count++) lanes[count] = lane();
  await Promise.all(lanes);
  return results;
}
