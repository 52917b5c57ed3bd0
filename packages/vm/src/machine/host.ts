import type { VError } from "../heap/data.ts";
import type { CodeUnit } from "../heap/function.ts";
import type { VObject, Value } from "../heap/value.ts";
import type { Realm } from "../realm/realm.ts";

/** What a built-in may ask of the machine that runs it. */
export interface HostContext {
  readonly realm: Realm;
  /**
   * Pays for work before it is done: `fuel` in instructions' worth (about 10 ns each), `bytes` of new memory.
   * Throws an EngineError when a limit is passed.
   */
  charge(fuel: number, bytes: number): void;
  /** Milliseconds since the epoch, constant while one input is processed. */
  now(): number;
  /** In [0, 1), from the generator whose state is in the snapshot. */
  random(): number;
  /** Must be called before an existing object is written: refuses captured constants, marks for delta snapshots. */
  touch(object: VObject): void;
  /** An error object of a built-in class (`TypeError`), with the stack of now. */
  newError(className: string, message: string): VError;
  /** Prelude functions by name, for built-ins that hand work on. */
  preludeUnit(name: string): CodeUnit;
}

/** Receives arguments as they came: primitives where the built-in's `coerce` says so. Never calls program code. */
export type HostFunction = (context: HostContext, self: Value, args: readonly Value[]) => Value;

/** Carries a value that program code throws through host frames to the interpreter's loop. */
export class Thrown {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

export type EngineErrorCode =
  | "UnsupportedBuiltin"
  | "OutOfFuel"
  | "StateTooLarge"
  | "TooManyPromises"
  | "CapturedValueWritten"
  | "Diverged";

/** Ends the run; program code can neither catch it nor run `finally` for it. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = code;
    this.code = code;
  }
}

/** Throws an error of a built-in class into the program. */
export function throwError(context: HostContext, className: string, message: string): never {
  throw new Thrown(context.newError(className, message));
}

export function unsupported(what: string): never {
  throw new EngineError("UnsupportedBuiltin", `${what} is not supported in workflows`);
}
