import { type BlobStore, BlobStoreUnavailable } from "../blobs/blob-store.ts";
import { resolveHistory } from "../blobs/resolve-rows.ts";
import { loadSignals } from "../store/load-checkpoint.ts";
import type { Queryable } from "../store/statement.ts";
import { checkpointFrom, type Point, readAnswers, readCheckpoint, withAnswers } from "./checkpoint.ts";
import type { LargeValues } from "./large-values.ts";
import type { Programs } from "./programs.ts";
import type { Step } from "./step.ts";

export interface LookUpSources {
  readonly control: Queryable;
  readonly blobs: BlobStore;
  readonly programs: Programs;
  readonly largeValues: LargeValues;
  /** The run cannot go on. */
  readonly stop: (step: Step, error: unknown) => Promise<void>;
}

/** Reads what a step needs to know before it goes on. */
export async function lookUp(sources: LookUpSources, step: Step): Promise<void> {
  const unknown = step.unknown!;
  if (unknown.kind === "letter") await sources.largeValues.read(step, unknown.letter);
  else if (unknown.kind === "checkpoint") await lookBack(sources, step, unknown.point);
  else if (unknown.kind === "signals") await readSignals(sources, step, unknown.after);
  else await sources.programs.current(unknown.namespace, unknown.name);
  step.unknown = null;
}

async function lookBack(sources: LookUpSources, step: Step, point: Point): Promise<void> {
  const { control, blobs } = sources;
  const { run } = step;
  const stored = await readCheckpoint(control, point);
  const checkpoint = await blamed(sources, step, () => checkpointFrom(blobs, run, stored));
  if (checkpoint === null) return;
  const answers = point.runId === run.id ? [] : await readAnswers(control, checkpoint);
  step.checkpoint = await blamed(sources, step, () => withAnswers(blobs, checkpoint, answers));
}

async function readSignals(sources: LookUpSources, step: Step, after: number): Promise<void> {
  const { control, blobs } = sources;
  const signals = await loadSignals(control, step.run.id, after);
  step.signals = await blamed(sources, step, () => resolveHistory(blobs, signals));
}

/** A state that cannot be read, or does not come about any more: null. A run that was to return there goes on. */
async function blamed<T>({ stop }: LookUpSources, step: Step, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BlobStoreUnavailable) throw error;
    const isOrder = step.arrivals.some((each) => each.kind === "letter" && each.letter.kind === "rollback");
    if (isOrder) step.turnRefusal = `${(error as Error).name}: ${(error as Error).message}`;
    else await stop(step, error);
    return null;
  }
}
