import { AsyncLocalStorage } from "node:async_hooks";
import { requireOutsideOfActions } from "./action-context.ts";
import type { EncodedCopy } from "./copy.ts";
import type { ActionDefinition, WorkflowDefinition } from "./definition.ts";

export interface RunInfo {
  readonly id: string;
  /** The workflow's name. */
  readonly type: string;
  readonly version: string;
  readonly namespace: string;
  readonly attempt: number;
  readonly startedAt: Date;
  /** Id of the run that started this one. */
  readonly parent: string | null;
  readonly tags: readonly string[];
}

/** A workflow that was called as a plain function, in a unit test. */
export interface NativeRun {
  readonly info: RunInfo;
  /** Newest last. */
  readonly compensations: { readonly action: ActionDefinition; readonly args: EncodedCopy }[];
}

const runs = new AsyncLocalStorage<NativeRun>();

/** Values left to be taken, by the signal's name. */
export type SignalQueues = ReadonlyMap<string, EncodedCopy[]>;

const signals = new AsyncLocalStorage<SignalQueues>();

/** Those of the nearest `withSignals` around; children share them with the run that called them. */
export function signalsAtHand(): SignalQueues | undefined {
  return signals.getStore();
}

export function withinSignals<T>(queues: SignalQueues, work: () => T): T {
  return signals.run(queues, work);
}

export function currentRun(of: string): NativeRun {
  requireOutsideOfActions(`${of}()`);
  const run = runs.getStore();
  if (run === undefined) throw new Error(`${of}() belongs into the body of a workflow`);
  return run;
}

/** Undefined outside of a workflow's body. */
export function currentRunId(): string | undefined {
  return runs.getStore()?.info.id;
}

/** Each workflow that is called is a run of its own, with compensations of its own. */
export function withinRun<T>(id: string, definition: WorkflowDefinition, work: (run: NativeRun) => T): T {
  const parent = runs.getStore()?.info.id ?? null;
  const { version = "native", tags = [] } = definition.options;
  const about = { namespace: "default", attempt: 1, startedAt: new Date(), parent, tags };
  const info = { id, type: definition.name, version, ...about };
  const run: NativeRun = { info, compensations: [] };
  return runs.run(run, () => work(run));
}

/** Who and what the run is. */
export function runInfo(): RunInfo {
  const { info } = currentRun("runInfo");
  return { ...info, startedAt: new Date(info.startedAt), tags: [...info.tags] };
}
