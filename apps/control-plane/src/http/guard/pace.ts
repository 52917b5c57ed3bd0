/** How fast what is on its way has to be. */
export interface Pace {
  /** So long it may take whatever comes of it; then it must have come at the rate, and never stand still for as long. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

/** Of bodies and of answers: a thin line, and no less. */
export const PACE: Pace = { graceMs: 10_000, bytesPerSecond: 64 * 1024 };
/** How often one looks. */
export const LOOK_MS = 1_000;

/**
 * Something that is on its way. By the average alone, who was fast would be allowed to hold it all for minutes; so it must get on too: by as
 * much as a second is worth, within each `graceMs`.
 */
export class Progress {
  readonly #pace: Pace;
  readonly #begun: { readonly at: number; readonly bytes: number };
  #moved: { readonly at: number; readonly bytes: number };

  constructor(at: number, bytes = 0, pace = PACE) {
    this.#pace = pace;
    this.#begun = { at, bytes };
    this.#moved = this.#begun;
  }

  /** So many bytes have come by now. */
  isTooSlow(at: number, bytes: number): boolean {
    const { graceMs, bytesPerSecond } = this.#pace;
    if (bytes - this.#moved.bytes >= bytesPerSecond) this.#moved = { at, bytes };
    const lateMs = at - this.#begun.at - graceMs;
    return at - this.#moved.at > graceMs || bytes - this.#begun.bytes < (lateMs / 1_000) * bytesPerSecond;
  }
}
