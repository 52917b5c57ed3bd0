/**
 * What a run did, in order: inputs given, durable calls, logs, outbox, end. The two sides are compared line by
 * line. Values are in the tagged encoding.
 */
export interface Line {
  readonly what:
    | "given"
    | "call"
    | "child"
    | "sleep"
    | "wait"
    | "taken"
    | "log"
    | "emit"
    | "progress"
    | "compensation"
    | "compensationFailed"
    | "unhandled"
    | "end"
    | "stuck"
    | "engine";
  /** Names, numbers and times: equal or not. */
  readonly plain: readonly (string | number | boolean | null)[];
  /** Encoded values: compared as `compare.ts` says. */
  readonly values: readonly string[];
}

export type Transcript = readonly Line[];

/** Stands in native logs for what cannot be stored, before its type; the machine shows its name or class there. */
export const UNSTORABLE = "\u0000unstorable";

export function line(what: Line["what"], plain: Line["plain"] = [], values: Line["values"] = []): Line {
  return { what, plain, values };
}

/** The machine keeps so many unhandled rejections for its warnings; beyond that only "many" is compared. */
const UNHANDLED_KEPT = 100;

export function unhandledLine(reasons: readonly string[]): Line {
  return reasons.length >= UNHANDLED_KEPT
    ? line("unhandled", ["many"])
    : line("unhandled", [reasons.length], reasons.toSorted());
}

export function showLine({ what, plain, values }: Line): string {
  return [what, ...plain.map(String), ...values].join(" ");
}

/** A durable call that waits for its end, as the driver sees it. */
export interface OpenCall {
  /** Counts the durable calls of the run from 1. */
  readonly number: number;
  readonly kind: "call" | "child" | "start" | "sleep" | "wait" | "compensation";
  readonly name: string;
  /** Arguments as an encoded array; for a child its one input. */
  readonly args: string;
  /** When a sleep or the timeout of a wait is due. */
  readonly until: number | null;
}

/** What the driver gives to a waiting run. */
export type Given =
  | { readonly kind: "result"; readonly call: number; readonly value: string }
  | { readonly kind: "error"; readonly call: number; readonly error: string }
  | { readonly kind: "timer"; readonly call: number }
  | { readonly kind: "signal"; readonly name: string; readonly value: string }
  | { readonly kind: "cancel"; readonly reason: string };

/** One side: the body in Node.js, or the program on the machine. */
export interface Subject {
  readonly lines: Line[];
  /** In order of creation. */
  readonly open: readonly OpenCall[];
  readonly ended: boolean;
  start(input: string, at: number): Promise<void>;
  give(given: Given, at: number): Promise<void>;
}
