import type { EncodedStepView } from "../library/run-steps.ts";
import type { RunSummaryView } from "../store/find-runs.ts";

/** Of all that is kept, as its texts are long. */
const LENGTH_MAX = 16 * 1024 * 1024;
/** What a step takes beside its texts. */
const STEP_LENGTH = 500;

/** Tries may still be written down when a run has ended. */
const KEPT_MS = 30_000;

type Steps = readonly EncodedStepView[];

interface Kept {
  readonly steps: Steps;
  readonly length: number;
  readonly readAt: number;
}

/**
 * Owns: the steps of a few runs that have ended, so that each page of a list does not make all of them again. What has ended does not
 * change: when it lives again, it ends at another time.
 */
export class KeptSteps {
  /** Those that were asked for last are last. */
  readonly #kept = new Map<string, Kept>();
  #length = 0;

  async of(
    { id, status, endedAt }: Pick<RunSummaryView, "id" | "status" | "endedAt">,
    read: () => Promise<Steps>,
  ): Promise<Steps> {
    if (endedAt === null) return read();
    const key = `${id} ${status} ${endedAt}`;
    const found = this.#kept.get(key);
    const isFresh = found !== undefined && performance.now() - found.readAt < KEPT_MS;
    const kept = isFresh ? found : made(await read());
    const { steps, length } = kept;
    this.#forget(key);
    if (length > LENGTH_MAX) return steps;
    this.#kept.set(key, kept);
    this.#length += length;
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= LENGTH_MAX) break;
      this.#forget(oldest);
    }
    return steps;
  }

  #forget(key: string): void {
    this.#length -= this.#kept.get(key)?.length ?? 0;
    this.#kept.delete(key);
  }
}

function made(steps: Steps): Kept {
  const length = steps.reduce((sum, { args, value, attempts }) => {
    const errors = attempts.reduce((all, { error }) => all + STEP_LENGTH + (error?.length ?? 0), 0);
    return sum + STEP_LENGTH + args.length + (value?.length ?? 0) + errors;
  }, 0);
  return { steps, length, readAt: performance.now() };
}
