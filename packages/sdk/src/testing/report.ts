import type { TraceLine } from "@cairnjs/ir";

/** One passage through a node. Sleeps are steps of `cairn.sleep`, waits for a signal steps of `cairn.signal`. */
export interface EncodedStep {
  readonly node: string;
  /** Name of the action or child workflow. */
  readonly action: string;
  /** Array of arguments: of a sleep the date it ends, of a wait the signal's name, of a child its input. */
  readonly args: string;
  readonly compensation: boolean;
  /** Neither: the run ended before the step did. */
  result?: string;
  error?: string;
}

export const SLEEP = "cairn.sleep";
export const SIGNAL = "cairn.signal";

/** The same with native values. */
export interface Step {
  readonly node: string;
  readonly action: string;
  readonly args: readonly unknown[];
  readonly compensation: boolean;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface LogLine {
  readonly at: number;
  readonly level: string;
  /** What was logged, as an array in the tagged encoding. */
  readonly args: string;
}

/** What else a run records; values in the tagged encoding. */
export type RunEvent = { readonly at: number } & (
  | { readonly kind: "progress"; readonly value: string }
  | { readonly kind: "emit"; readonly type: string; readonly data: string }
  | { readonly kind: "compensation"; readonly node: string; readonly action: string; readonly args: string }
  | { readonly kind: "compensationFailed"; readonly node: string; readonly error: string }
  | { readonly kind: "abandoned"; readonly node: string }
  /** A child that was started to live on its own; nobody waits for it, so nobody else hears of this. */
  | { readonly kind: "detachedFailed"; readonly workflow: string; readonly id: string; readonly error: string }
  | { readonly kind: "warning"; readonly code: string; readonly detail: string }
);

/** Told as things happen. `depth` is 0 for the run itself, 1 for its children. */
export interface RunObserver {
  stepStarted?(step: EncodedStep, depth: number): void;
  stepEnded?(step: EncodedStep, depth: number): void;
  /** Another try is made in so many milliseconds. */
  tryFailed?(step: EncodedStep, depth: number, error: string, againMs: number): void;
  logged?(line: LogLine, depth: number): void;
  happened?(event: RunEvent, depth: number): void;
  timeAdvanced?(from: number, to: number): void;
}

export interface Ended {
  readonly status: "succeeded" | "failed" | "cancelled";
  readonly value: string;
  readonly trace: readonly TraceLine[];
}
