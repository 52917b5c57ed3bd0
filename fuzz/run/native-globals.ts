import { NotStorable as CodecNotStorable, encodeNative } from "@cairnjs/ir";
import type { NativeRun } from "./native-run.ts";
import { UNSTORABLE } from "./transcript.ts";

const LEVELS: Readonly<Record<string, string>> = {
  debug: "debug",
  dir: "info",
  error: "error",
  group: "info",
  groupCollapsed: "info",
  info: "info",
  log: "info",
  table: "info",
  trace: "debug",
  warn: "warn",
};

/** `console` as a body sees it: every call is a line of the transcript. */
export function consoleStub(run: NativeRun): object {
  const stub: Record<string, unknown> = {
    assert: (condition: unknown, ...rest: unknown[]) => {
      if (!condition) log(run, "error", ["Assertion failed", ...rest]);
    },
    groupEnd: () => undefined,
  };
  for (const [method, level] of Object.entries(LEVELS)) stub[method] = (...args: unknown[]) => log(run, level, args);
  for (const [method, logger] of Object.entries(stub)) {
    // A test runner's console has other lengths than Node's own.
    Object.defineProperties(logger, { name: { value: method }, length: { value: 0 } });
  }
  return stub;
}

function log(run: NativeRun, level: string, args: readonly unknown[]): void {
  const items = args.map((value) => (isStorable(run, value) ? value : `${UNSTORABLE} ${typeof value}`));
  run.note("log", [level], [encodeNative(items, run.codec)]);
}

function isStorable(run: NativeRun, value: unknown): boolean {
  try {
    encodeNative(value, run.codec);
    return true;
  } catch (error) {
    if (error instanceof CodecNotStorable) return false;
    throw error;
  }
}

/** `Date` with the clock of the run. */
export function dateStub(run: NativeRun): unknown {
  const now = { now: (): number => run.at }.now;
  return new Proxy(Date, {
    apply: () => new Date(run.at).toString(),
    construct: (target, args: unknown[]) => Reflect.construct(target, args.length === 0 ? [run.at] : args) as object,
    get: (target, key) => (key === "now" ? now : (Reflect.get(target, key) as unknown)),
  });
}
