import type { ActionLog } from "cairnjs";
import { type ActionContext, encodeCopy, type LazyAbort } from "cairnjs/host";
import type { Dispatch } from "../runloop/outside.ts";

/** What a handler may know of its attempt. A class: what it is rarely asked for is made when it is. */
export class CallContext implements ActionContext {
  readonly #dispatch: Dispatch;
  readonly #abort: LazyAbort;

  constructor(dispatch: Dispatch, abort: LazyAbort) {
    this.#dispatch = dispatch;
    this.#abort = abort;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get attempt(): number {
    return this.#dispatch.attempt;
  }

  get idempotencyKey(): string {
    return `${this.#dispatch.runId}/${this.#dispatch.call}`;
  }

  get runId(): string {
    return this.#dispatch.runId;
  }

  get action(): string {
    return this.#dispatch.action;
  }

  get log(): ActionLog {
    return new ConsoleLog(this.#dispatch.action);
  }

  heartbeat(details?: unknown): void {
    encodeCopy(details, "details");
  }
}

class ConsoleLog implements ActionLog {
  readonly #action: string;

  constructor(action: string) {
    this.#action = action;
  }

  debug(message: string, ...details: unknown[]): void {
    console.debug(this.#line(message), ...details);
  }

  info(message: string, ...details: unknown[]): void {
    console.info(this.#line(message), ...details);
  }

  warn(message: string, ...details: unknown[]): void {
    console.warn(this.#line(message), ...details);
  }

  error(message: string, ...details: unknown[]): void {
    console.error(this.#line(message), ...details);
  }

  #line(message: string): string {
    return `[${this.#action}] ${message}`;
  }
}
