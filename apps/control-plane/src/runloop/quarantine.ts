import { hasQuarantined } from "../store/claim-runs.ts";
import type { Alarms } from "./alarms.ts";
import type { HeldRun } from "./held-run.ts";
import type { RunloopOptions } from "./runloop-options.ts";

/** A suspect that rests for so long makes way for the next one. */
const REST_MS = 200;

/**
 * Says when a suspect leaves. A run that has made progress is no longer one: others may have it, and the next one is looked
 * at alone. One that waits for its calls may do so for hours: it stays a suspect, and comes again after the others.
 */
export class Quarantine {
  readonly #options: Pick<RunloopOptions, "control" | "clock" | "namespace">;
  readonly #runs: ReadonlyMap<string, HeldRun>;
  readonly #alarms: Alarms;
  readonly #release: (run: HeldRun) => void;
  readonly #guarded: (work: () => Promise<void>) => void;

  constructor(
    options: Pick<RunloopOptions, "control" | "clock" | "namespace">,
    runs: ReadonlyMap<string, HeldRun>,
    alarms: Alarms,
    release: (run: HeldRun) => void,
    guarded: (work: () => Promise<void>) => void,
  ) {
    this.#options = options;
    this.#runs = runs;
    this.#alarms = alarms;
    this.#release = release;
    this.#guarded = guarded;
  }

  /** Something was committed. */
  settled(): void {
    for (const run of this.#runs.values()) {
      if (run.busy) continue;
      if (run.crashes === 0) this.#release(run);
      else {
        const restedAt = this.#options.clock.now() + REST_MS;
        run.idleTimer?.cancel();
        run.idleTimer = this.#alarms.set(restedAt, () => this.#guarded(() => this.#makeWay(run)));
      }
    }
  }

  async #makeWay(run: HeldRun): Promise<void> {
    const { control, namespace } = this.#options;
    const others = await hasQuarantined(control, namespace);
    if (run.busy || this.#runs.get(run.id) !== run) return;
    if (others) this.#release(run);
    else this.settled();
  }
}
