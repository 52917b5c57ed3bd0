import { setTimeout as delay } from "node:timers/promises";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { storeLargeValues } from "../blobs/store-transition.ts";
import { valueOf } from "../blobs/stored-values.ts";
import type { Letter } from "../store/mail.ts";
import { kindOfFailure } from "./committer.ts";
import type { Step } from "./step.ts";
import type { Warn } from "../warn.ts";

const TRY_AGAIN_MIN_MS = 50;
const TRY_AGAIN_MAX_MS = 5_000;

export interface LargeValuesEvents {
  /** All blobs that the step's rows name are durable. */
  stored(step: Step): void;
  /** The store will never take what this step has. */
  refused(step: Step, error: unknown): void;
  readonly warn: Warn;
}

/**
 * Owns: steps whose large values are being written, each on its own, before they join others in a commit: so whoever is slow
 * to write, or cannot, keeps nobody else waiting. What cannot be written is tried for as long as its run is held: the
 * actions have run, and what they returned would be lost.
 */
export class LargeValues {
  readonly #blobs: BlobStore;
  readonly #events: LargeValuesEvents;
  #stopped = false;

  constructor(blobs: BlobStore, events: LargeValuesEvents) {
    this.#blobs = blobs;
    this.#events = events;
  }

  /** Nothing that is being written is committed any more. */
  stop(): void {
    this.#stopped = true;
  }

  async write(step: Step): Promise<void> {
    for (let tries = 0; ; tries++) {
      const error = await this.#tryToWrite(step);
      if (this.#stopped) return;
      if (error === null) return this.#events.stored(step);
      if (kindOfFailure(error) === "data") return this.#events.refused(step, error);
      this.#events.warn(`A large value of the run ${step.run.id} cannot be written, and is tried again`, error, {
        runId: step.run.id,
      });
      await delay(Math.min(TRY_AGAIN_MAX_MS, TRY_AGAIN_MIN_MS * 2 ** tries), undefined, { ref: false });
      if (this.#stopped) return;
    }
  }

  /** Tells a step what a letter says that refers to a blob, or that it cannot be had. */
  async read(step: Step, { runId, kind, name, call, value }: Letter): Promise<void> {
    try {
      step.letterSays(await valueOf(this.#blobs, value!, runId, `A letter (${kind} ${name ?? call})`));
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      this.#events.warn(`A letter of the run ${runId} cannot be read`, error, { runId });
      step.letterIsUnreadable(error);
    }
  }

  /** What went wrong, or null. */
  async #tryToWrite({ transition }: Step): Promise<unknown> {
    try {
      await storeLargeValues(transition, this.#blobs);
      return null;
    } catch (error) {
      return error ?? new Error("The blob store failed without an error");
    }
  }
}
