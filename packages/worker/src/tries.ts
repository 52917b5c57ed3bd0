import type { CallRef, Outcome, Value } from "@cairnjs/protocol";
import type { RunningCall } from "./host/action-runner.ts";

/** One try of a call that this worker has: it runs, or its outcome is held. */
export interface Try {
  readonly key: string;
  readonly ref: CallRef;
  /** Null while its arguments are fetched. */
  running: RunningCall | null;
  /** What it told last. */
  details: Value | null;
  /** Held until it is acknowledged. */
  outcome: Outcome | null;
  /** Its handler has ended; what came of it may still be on its way to the blob store. */
  hasEnded: boolean;
  /** Acknowledged, or nobody waits for it: there is nothing more to say of it. */
  isRemoved: boolean;
}

function keyOfTry({ incarnation, runId, call, attempt }: CallRef): string {
  return `${incarnation}/${runId}/${call}/${attempt}`;
}

/** Everything that this worker has, by try: whichever control plane sent it. */
export class Tries {
  readonly #tries = new Map<string, Try>();
  #running = 0;
  #whenSettled: (() => void)[] = [];
  #whenEmpty: (() => void)[] = [];

  get size(): number {
    return this.#tries.size;
  }

  get(ref: CallRef): Try | undefined {
    return this.#tries.get(keyOfTry(ref));
  }

  all(): Iterable<Try> {
    return this.#tries.values();
  }

  /** Undefined if it is known already: it is run once. */
  add({ incarnation, runId, call, attempt }: CallRef): Try | undefined {
    const ref = { incarnation, runId, call, attempt };
    const key = keyOfTry(ref);
    if (this.#tries.has(key)) return undefined;
    const made: Try = { key, ref, running: null, details: null, outcome: null, hasEnded: false, isRemoved: false };
    this.#tries.set(key, made);
    this.#running += 1;
    return made;
  }

  end(one: Try): void {
    if (one.hasEnded) return;
    one.hasEnded = true;
    this.#running -= 1;
    if (this.#running === 0) for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  has(one: Try): boolean {
    return this.#tries.get(one.key) === one;
  }

  remove(one: Try): void {
    if (!this.has(one)) return;
    this.#tries.delete(one.key);
    one.isRemoved = true;
    // Streams that were about to speak of it have nothing to say.
    one.outcome = null;
    this.end(one);
    if (this.#tries.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  /** Resolves when nothing runs, or is going to. */
  async settled(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#whenSettled.push(resolve));
  }

  /** Resolves when nothing runs and nothing is held. */
  async empty(): Promise<void> {
    if (this.#tries.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }
}
