import { type ActionContext, withinCall } from "../action-context.ts";

/**
 * An abort controller that is made when someone asks for its signal: most handlers never do, and making one costs more
 * than everything else around a call.
 */
export class LazyAbort {
  #controller: AbortController | null = null;
  #aborted: { readonly reason: unknown } | null = null;
  #context: ActionContext | null = null;
  readonly #heard: (reason: unknown) => void;

  /** `heard`: for whoever made it, who need not ask for the signal. */
  constructor(heard: (reason: unknown) => void = () => {}) {
    this.#heard = heard;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted !== null) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Who listens to the signal is part of this attempt, and may ask for it. */
  listenIn(context: ActionContext): void {
    this.#context = context;
  }

  abort(reason: unknown): void {
    if (this.#aborted === null) this.#heard(reason);
    this.#aborted ??= { reason };
    const controller = this.#controller;
    if (controller === null) return;
    if (this.#context === null) controller.abort(reason);
    else withinCall(this.#context, () => controller.abort(reason));
  }
}
