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
  /** A fork or a rollback: chance takes another course from here. */
  | { readonly kind: "reseed"; readonly at: number; readonly seed: string };

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
  | {
      readonly kind: "end";
      readonly id: string;
      readonly status: "succeeded" | "failed" | "cancelled";
      /** Result, or the value thrown. */
      readonly value: string;
      /** Where a failure came from, innermost first. */
      readonly trace: readonly TraceLine[];
    };
