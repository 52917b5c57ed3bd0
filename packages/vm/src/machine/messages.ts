import type { TraceLine } from "@cairnjs/ir";

/** What goes into a machine and what comes out: closed, listed types. Values are in the tagged encoding. */

export interface RunInfo {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly namespace: string;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly parent: string | null;
  readonly tags: readonly string[];
}

/** Every input carries `at`, the only time the program ever sees. */
export type Input =
  | {
      readonly kind: "start";
      readonly at: number;
      readonly value: string;
      readonly seed: string;
      readonly info: RunInfo;
    }
  /** An action, child or detached start ended well. */
  | { readonly kind: "result"; readonly at: number; readonly call: string; readonly value: string }
  /** It failed for good; the error is the value thrown. */
  | { readonly kind: "error"; readonly at: number; readonly call: string; readonly error: string }
  /** A sleep or the timeout of a wait is due. */
  | { readonly kind: "timer"; readonly at: number; readonly call: string }
  | { readonly kind: "signal"; readonly at: number; readonly name: string; readonly value: string }
  | { readonly kind: "cancel"; readonly at: number; readonly reason: string }
  /** The run was rolled back to this state: chance takes another course from here, unless there is no seed. */
  | { readonly kind: "reseed"; readonly at: number; readonly seed: string | null }
  /** The state is that of another run, and goes on as this one, with what is to be undone if it fails, or without. */
  | {
      readonly kind: "fork";
      readonly at: number;
      readonly seed: string | null;
      readonly info: RunInfo;
      readonly compensations: boolean;
    }
  /** The body goes no further. Compensations run, but the first `keep`; then `undone` says what is wanted after that. */
  | { readonly kind: "undo"; readonly at: number; readonly keep: number; readonly next: string };

/** `id` is unique in the run: number of the input that caused it, and an ordinal. */
export type Effect =
  | {
      readonly kind: "call";
      readonly id: string;
      readonly node: string;
      readonly action: string;
      /** Array of arguments. */
      readonly args: string;
      readonly options: string | null;
      /** Functions that led here, outermost first. */
      readonly path: readonly string[];
      readonly compensation: boolean;
    }
  | {
      readonly kind: "child";
      readonly id: string;
      readonly node: string;
      readonly workflow: string;
      readonly input: string;
      readonly options: string | null;
      readonly detached: boolean;
      readonly path: readonly string[];
    }
  | {
      readonly kind: "sleep";
      readonly id: string;
      readonly node: string;
      readonly until: number;
      readonly path: readonly string[];
    }
  | {
      readonly kind: "wait";
      readonly id: string;
      readonly node: string;
      readonly signal: string;
      /** When the wait times out, or null. */
      readonly until: number | null;
      readonly path: readonly string[];
    }
  /** A buffered or arriving signal was given to this wait. */
  | { readonly kind: "taken"; readonly id: string; readonly wait: string; readonly value: string }
  /** The step is no longer wanted: the body has ended, or its wait was answered. */
  | { readonly kind: "abandon"; readonly id: string; readonly call: string }
  | { readonly kind: "log"; readonly id: string; readonly level: string; readonly args: string }
  | { readonly kind: "progress"; readonly id: string; readonly value: string }
  | { readonly kind: "emit"; readonly id: string; readonly type: string; readonly data: string }
  | {
      readonly kind: "compensation";
      readonly id: string;
      readonly node: string;
      readonly action: string;
      readonly args: string;
    }
  | { readonly kind: "compensationFailed"; readonly id: string; readonly call: string; readonly error: string }
  | {
      readonly kind: "warning";
      readonly id: string;
      readonly code: "UnhandledRejection" | "DroppedFrame";
      readonly detail: string;
    }
  /** As an `undo` has asked. */
  | { readonly kind: "undone"; readonly id: string; readonly next: string }
  | {
      readonly kind: "end";
      readonly id: string;
      readonly status: "succeeded" | "failed" | "cancelled";
      /** Result, or the value thrown. */
      readonly value: string;
      /** Where a failure came from, innermost first. */
      readonly trace: readonly TraceLine[];
    };
