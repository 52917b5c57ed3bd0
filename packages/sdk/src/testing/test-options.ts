import type { NativeErrorClass } from "@cairnjs/ir";
import type { Limits } from "@cairnjs/vm";
import type { Duration, RetryOptions } from "../options.ts";
import type { Mocks } from "./cast.ts";
import type { InjectedCancellation, InjectedFailure } from "./failures.ts";

export interface TestOptions {
  /** Mocks of actions and child workflows. An action without one runs for real. */
  readonly actions?: Mocks;
  /** An action without a mock is the test's mistake. */
  readonly strict?: boolean;
  /** Actions without a mock wait until the test says `run.complete()` or `run.fail()`. */
  readonly manual?: boolean;
  /** Values to be sent, in order, whenever the run or a child of it waits for the signal. */
  readonly signals?: Readonly<Record<string, readonly unknown[]>>;
  /** Secrets that actions need, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Where virtual time begins; 1 January 2026 unless told. */
  readonly startAt?: Date;
  /** Seed of a random but repeatable order in which steps end; without it they end in the order they were started. */
  readonly schedule?: string | number;
  /** Between every two instructions, snapshot and go on from what was restored. Slow; finds what cannot be stored. */
  readonly restoreEverywhere?: boolean;
  readonly failures?: readonly InjectedFailure[];
  readonly cancel?: InjectedCancellation;
  /** For actions that do not say; the engine's defaults unless told: 3 tries, 1 s and doubling, at most 5 min. */
  readonly retry?: RetryOptions;
  /** How long one try of an action may take in real time; 4 s unless told. */
  readonly patience?: Duration;
  /** Error classes that the workflow's module neither has nor imports, so that `instanceof` holds for them in the test. */
  readonly errors?: readonly (NativeErrorClass & { readonly name: string })[];
  readonly limits?: Limits;
  /** How much may happen before the run is taken for one that never ends; 20,000 unless told. */
  readonly turnsMax?: number;
}

/** The input is asked for as the workflow asks for it. */
export type TestArgs<Args extends [input?: unknown]> = Args extends []
  ? [options?: TestOptions & { readonly input?: undefined }]
  : [] extends Args
    ? [options?: TestOptions & { readonly input?: Args[0] }]
    : [options: TestOptions & { readonly input: Args[0] }];
