import type { Alarms } from "./alarms.ts";
import { triesToBegin } from "./expiring.ts";
import type { Arrival, HeldRun, OpenStep } from "./held-run.ts";
import type { TryId } from "./outside.ts";
import { deadlineOf, LINGER_MS } from "./parking.ts";

/** A call that should have begun by now, and may have, is asked for so often. */
const RECALL_EVERY_MS = 5_000;

export interface TimersOptions {
  readonly alarms: Alarms;
  readonly now: () => number;
  readonly arrive: (run: HeldRun, arrival: Arrival) => void;
  /** These should have begun by now. */
  readonly recall: (tries: readonly TryId[]) => void;
}

/** What becomes of held runs by the clock alone. Whoever lets go of a run silences it (`HeldRun.silence`). */
export class RunTimers {
  readonly #options: TimersOptions;

  constructor(options: TimersOptions) {
    this.#options = options;
  }

  /** A sleep, or a call that is tried again. */
  setDue(run: HeldRun, open: OpenStep): void {
    const { alarms, arrive } = this.#options;
    open.timer = alarms.set(open.dueAt!, () => {
      open.timer = null;
      arrive(run, { kind: "timer", call: open.effect.id });
    });
  }

  watchDeadline(run: HeldRun): void {
    const { alarms, arrive } = this.#options;
    const deadline = deadlineOf(run);
    if (deadline === null || run.deadlineTimer !== null) return;
    run.deadlineTimer = alarms.set(deadline, () => {
      run.deadlineTimer = null;
      arrive(run, { kind: "deadline" });
    });
  }

  /** A job whose call waits for somebody to begin it must not wait for longer than it may. */
  watchExpiry(run: HeldRun, at = run.row.expiresAt): void {
    const { alarms, recall } = this.#options;
    if (at === null || run.expiryTimer !== null || triesToBegin(run).length === 0) return;
    run.expiryTimer = alarms.set(at, () => {
      run.expiryTimer = null;
      const tries = triesToBegin(run);
      if (tries.length > 0) recall(tries);
      // One whose arguments are being written cannot be had back, and waits again if that fails.
      this.watchExpiry(run, this.#options.now() + RECALL_EVERY_MS);
    });
  }

  /** Unless something comes for it, it has had its time in memory. */
  linger(run: HeldRun): void {
    const { alarms, arrive } = this.#options;
    run.idleTimer = alarms.set(this.#options.now() + LINGER_MS, () => arrive(run, { kind: "idle" }));
  }
}
