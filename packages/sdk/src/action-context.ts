import { AsyncLocalStorage } from "node:async_hooks";

export interface ActionLog {
  debug(message: string, details?: unknown): void;
  info(message: string, details?: unknown): void;
  warn(message: string, details?: unknown): void;
  error(message: string, details?: unknown): void;
}

/** What a handler, its providers and its middleware may know of the attempt they are part of. */
export interface ActionContext {
  /** Aborted when the attempt is timed out or cancelled, or its worker ends: whatever it does then is in vain. */
  readonly signal: AbortSignal;
  /** Counts from 1. */
  readonly attempt: number;
  /** The same in all attempts of one call, and of no other call: for services that do a thing once per key. */
  readonly idempotencyKey: string;
  readonly runId: string;
  /** Which call of the run it is: the same in all its attempts. */
  readonly call: string;
  /** The action's name. */
  readonly action: string;
  /** When the run ends at the latest; null if nobody has said. */
  readonly deadline: Date | null;
  /** Tells how far the attempt is: the next one gets the details, should this one not come to an end. */
  heartbeat(details?: unknown): void;
  /**
   * Tells those who watch the run a piece of what the attempt does: a token, a line. They see it while the attempt runs, in order;
   * the run itself knows nothing of it. Resolves when there is room for the next one, so await it. Rejects with `ChunkRefused` or
   * `NotStorable`, and when the attempt is aborted; never because nobody watches.
   */
  stream(chunk: unknown): Promise<void>;
  /** What an earlier attempt told last; undefined if none has told anything. */
  readonly heartbeatDetails: unknown;
  readonly log: ActionLog;
}

const calls = new AsyncLocalStorage<ActionContext>();

/** The attempt that this code is part of: in the handler of an action, a provider or middleware. */
export function currentCall(): ActionContext {
  const context = calls.getStore();
  if (context === undefined) {
    throw new Error("currentCall() belongs into the handler of an action. Call it there, or in a provider it needs.");
  }
  return context;
}

export function withinCall<T>(context: ActionContext, work: () => T): T {
  return calls.run(context, work);
}

/** Undefined outside of handlers. */
export function callAtHand(): ActionContext | undefined {
  return calls.getStore();
}

/**
 * Throws in a handler: it runs outside of any run, at least once and perhaps on another machine, so nothing durable can come of
 * it there. Natively it would work by chance, since the body's run is around its handlers.
 */
export function requireOutsideOfActions(what: string): void {
  const call = callAtHand();
  if (call === undefined) return;
  throw new Error(
    `${what} belongs into the body of a workflow, and was called inside the action "${call.action}", ` +
      "which runs outside of it. Return from the action what the body needs, and call it there.",
  );
}
