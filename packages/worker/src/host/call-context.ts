import type { ActionLog } from "cairnjs";
import { type ActionContext, consoleLog, decodeCopy, encodeCopy, ENGINE_ERRORS, type LazyAbort } from "cairnjs/host";
import { callKey, type CallNotes, type Dispatch } from "./calls.ts";

/**
 * What a handler may know of its attempt. A class: what it is rarely asked for is made when it is. Handlers take it apart,
 * so its functions need no `this`.
 */
export class CallContext implements ActionContext {
  readonly #dispatch: Dispatch;
  readonly #notes: CallNotes | null;
  readonly #abort: LazyAbort;
  readonly #told: (details: string) => void;

  /** `told`: with what the handler tells about itself, encoded. */
  constructor(dispatch: Dispatch, notes: CallNotes | null, abort: LazyAbort, told: (details: string) => void) {
    this.#dispatch = dispatch;
    this.#notes = notes;
    this.#abort = abort;
    this.#told = told;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get attempt(): number {
    return this.#dispatch.attempt;
  }

  get idempotencyKey(): string {
    return this.#notes?.idempotencyKey ?? callKey(this.#dispatch);
  }

  get runId(): string {
    return this.#dispatch.runId;
  }

  get call(): string {
    return this.#dispatch.call;
  }

  get action(): string {
    return this.#dispatch.action;
  }

  get deadline(): Date | null {
    const { deadline } = this.#dispatch;
    return deadline === null ? null : new Date(deadline);
  }

  get log(): ActionLog {
    return consoleLog(this.#dispatch.action);
  }

  get heartbeat(): (details?: unknown) => void {
    return (details) => {
      const { text } = encodeCopy(details, "details");
      // One without details says that the attempt is alive, as its worker does anyway, and leaves what was told before.
      if (details !== undefined) this.#told(text);
    };
  }

  get heartbeatDetails(): unknown {
    const text = this.#notes?.heartbeatDetails ?? null;
    return text === null ? undefined : decodeCopy({ text, classes: ENGINE_ERRORS });
  }
}
