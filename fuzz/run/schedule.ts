import { encodeNative } from "@cairnjs/ir";
import { Random } from "./random.ts";

/** What decides about a run besides its source: order of ends, failures, cancellation. The seed says it all. */
export interface Schedule {
  readonly seed: number;
  /** How likely an action or child fails, 0 to 1. */
  readonly failures: number;
  /** The run is cancelled before this input; 0 for never. */
  readonly cancelBefore: number;
  /** Ends come in the order of the calls, timers last. */
  readonly inOrder: boolean;
}

/** The first is in order and without failures; the others mix both. */
export function schedules(seed: number, count: number): Schedule[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => ({
    seed: random.next(),
    failures: index === 0 ? 0 : random.pick([0, 0.15, 0.3, 0.6]),
    cancelBefore: index > 1 && random.chance(0.15) ? 1 + random.below(6) : 0,
    inOrder: index === 0,
  }));
}

/** An error class of the module: its name and those of its ancestors, up to `Error`. */
export type ClassNames = readonly (readonly string[])[];

/** Thrown values for injected failures, encoded. Messages carry the mark of those that program code supplies. */
export function injectedError(random: Random, classes: ClassNames, number: number): string {
  const message = `§injected ${number}`;
  if (classes.length > 0 && random.chance(0.35)) {
    return errorText(random.pick(classes), message, { code: random.below(5), detail: { list: [1, "two"] } });
  }
  switch (random.below(9)) {
    case 0:
      return errorText(["TypeError", "Error"], message);
    case 1:
      return errorText(["RangeError", "Error"], message, { retryable: true });
    case 2:
      return errorText([random.pick(["ActionTimeout", "ActionCancelled", "NoHandlerRegistered"]), "Error"], message);
    case 3:
      return errorText(["UnheardOfError", "Error"], message, { code: "E_NONE" });
    case 4:
      return encodeNative(random.pick(["§thrown text", 42, null, undefined, false, 10n, -0]));
    case 5:
      return encodeNative({ thrown: true, code: number, list: [1, [2]] });
    case 6:
      return encodeNative(new AggregateError([new TypeError("§inner"), "text"], message));
    case 7:
      return encodeNative(new Error(message, { cause: new RangeError("§cause") }));
    default:
      return errorText(["Error"], message);
  }
}

function errorText(names: readonly string[], message: string, props?: Record<string, unknown>): string {
  return JSON.stringify({ $error: { names, message, ...(props === undefined ? {} : { props }) } });
}
