import type { LocalRun, StepRecord } from "./local-run.ts";

/** One passage through a node. Sleeps are steps of `cairn.sleep`, waits for a signal steps of `cairn.signal`. */
export interface TestStep<Args extends unknown[] = unknown[], Result = unknown> {
  /** Unique in the test. */
  readonly id: string;
  readonly node: string;
  /** Name of the action or child workflow. */
  readonly action: string;
  /** Of a sleep the date it ends, of a wait the signal's name, of a child its input. */
  readonly args: Args;
  readonly compensation: boolean;
  /** Abandoned: the body no longer wanted it. */
  readonly status: "open" | "succeeded" | "failed" | "abandoned";
  readonly result?: Result;
  readonly error?: unknown;
  /** Tries of an action so far. */
  readonly attempts: readonly {
    readonly at: Date;
    /** What it gave to `stream()`. */
    readonly chunks: readonly unknown[];
    readonly error?: unknown;
  }[];
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export function testStep(
  { call, step, startedAt, endedAt, abandoned, attempts }: StepRecord,
  run: LocalRun,
  decode: (text: string) => unknown,
): TestStep {
  const { node, action, args, compensation, result, error } = step;
  const status = abandoned ? "abandoned" : endedAt === null ? "open" : error === undefined ? "succeeded" : "failed";
  return {
    id: `${run.id}/${call}`,
    node,
    action,
    args: decode(args) as unknown[],
    compensation,
    status,
    ...(result === undefined ? {} : { result: decode(result) }),
    ...(error === undefined ? {} : { error: decode(error) }),
    attempts: attempts.map((attempt) => ({
      at: new Date(attempt.at),
      chunks: attempt.chunks.map(decode),
      ...(attempt.error === undefined ? {} : { error: decode(attempt.error) }),
    })),
    startedAt: new Date(startedAt),
    endedAt: endedAt === null ? null : new Date(endedAt),
  };
}
