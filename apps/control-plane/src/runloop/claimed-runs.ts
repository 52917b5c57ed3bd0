import type { ClaimedRun } from "../store/claim-runs.ts";
import type { LimitGroup } from "../store/limits.ts";
import { liveChildren, storedBytes } from "../store/load-runs.ts";
import { endsRun, type Letter } from "../store/mail.ts";
import { giveBackRuns } from "../store/owners.ts";
import type { HeldRun } from "./held-run.ts";
import { loadHeldRuns, loadWithoutState, type Unloadable } from "./loading.ts";
import type { Mail } from "./mail.ts";
import { CRASHES_MAX, crashedStep, stopUnloadable, tellChildren } from "./refusals.ts";
import type { RunloopOptions } from "./runloop-options.ts";
import { Step, type StepContext } from "./step.ts";

/** Whoever holds the runs. */
export interface Holder {
  readonly isOver: () => boolean;
  /** It is loaded, and goes on with what is open; what was in its mail, and since when it was to be claimed. */
  readonly adopt: (run: HeldRun, letters: readonly Letter[], readyAt: number) => void;
  /** It is there for this step alone. */
  readonly begin: (step: Step) => void;
  /** Others may have slots of these. */
  readonly released: (groups: readonly LimitGroup[]) => void;
  /** The next one, with so many bytes, has to wait for memory. */
  readonly noMemory: (bytes: number) => void;
}

/** What becomes of runs that were claimed: they are loaded, given back, ended, or stopped for an operator. */
export class ClaimedRuns {
  readonly #options: RunloopOptions;
  readonly #mail: Mail;
  readonly #context: StepContext;
  readonly #holder: Holder;

  constructor(options: RunloopOptions, mail: Mail, context: StepContext, holder: Holder) {
    this.#options = options;
    this.#mail = mail;
    this.#context = context;
    this.#holder = holder;
  }

  /** As many as there is memory for, in their order; the others are given back. */
  async hold(claimed: readonly ClaimedRun[]): Promise<void> {
    const { control, owner, memory } = this.#options;
    const hopeless = claimed.filter(({ crashes }) => crashes >= CRASHES_MAX);
    if (hopeless.length > 0) await this.#giveUp(hopeless);
    let left = claimed.filter(({ crashes }) => crashes < CRASHES_MAX);
    if (left.length === 0) return;
    const sizes = await storedBytes(control, left);
    const sizeOf = ({ id }: ClaimedRun): number => sizes.get(id) ?? 0;
    while (left.length > 0 && !this.#holder.isOver()) {
      const count = memory.fitting(left.map(sizeOf));
      if (count === 0) {
        await giveBackRuns(control, owner, left);
        return this.#holder.noMemory(sizeOf(left[0]!));
      }
      await this.#load(left.slice(0, count));
      left = left.slice(count);
    }
  }

  async #load(claimed: readonly ClaimedRun[]): Promise<void> {
    const { held, failed } = await loadHeldRuns(this.#options, claimed);
    // What has become of calls may lie in the mail: nobody is asked for these.
    const letters = await this.#mail.take(held);
    if (this.#holder.isOver()) return;
    const readyAt = new Map(claimed.map((each) => [each.id, each.readyAt]));
    for (const run of held) this.#holder.adopt(run, letters.get(run.id) ?? [], readyAt.get(run.id)!);
    for (const each of failed) await this.stop(each);
  }

  /** Each went down with its owner again and again: it fails, and its state, which may be to blame, is not looked at. */
  async #giveUp(claimed: readonly ClaimedRun[]): Promise<void> {
    for (const each of claimed) {
      const run = await loadWithoutState(this.#options, each);
      const children = await liveChildren(this.#options.control, each.id);
      const step = crashedStep(run, children, this.#context);
      if (this.#holder.isOver()) return;
      this.#holder.begin(step);
    }
  }

  /** A run that cannot be loaded waits for an operator. To end it, its state is not needed. */
  async stop(unloadable: Unloadable): Promise<void> {
    const { control, owner, clock, outside } = this.#options;
    const { claimed, error } = unloadable;
    const letters = await this.#mail.orders(claimed.id);
    const ending = letters.find(endsRun);
    const run = ending === undefined ? null : await loadWithoutState(this.#options, claimed).catch(() => null);
    if (this.#holder.isOver()) return;
    if (ending === undefined || run === null) {
      this.#holder.released(await stopUnloadable(control, owner, unloadable, letters, clock.now()));
      return outside.warn(`The run ${claimed.id} was stopped`, error, { runId: claimed.id });
    }
    const step = new Step(run, [{ kind: "letter", letter: ending }], this.#context);
    tellChildren(step, await liveChildren(control, claimed.id), ending.kind === "delete" ? "delete" : "cancel");
    this.#holder.begin(step);
  }
}
