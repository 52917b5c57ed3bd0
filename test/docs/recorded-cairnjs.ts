import { AsyncLocalStorage } from "node:async_hooks";
import * as cairn from "cairnjs";

/**
 * What examples import as `cairnjs` when they are run here: the package itself, except that it notes what is called,
 * emitted and told. The machine runs the same handlers, so calls are noted alike on both sides.
 */
export * from "cairnjs";

export interface Noted {
  /** `[name, ...arguments]` */
  readonly calls: unknown[][];
  readonly events: unknown[][];
}

const notes = new AsyncLocalStorage<Noted>();

export function noting<T>(noted: Noted, work: () => T): T {
  return notes.run(noted, work);
}

type Handler = (...args: unknown[]) => Promise<unknown>;

export function action(name: string, ...rest: [Handler] | [object, Handler]): unknown {
  const handler = rest.at(-1) as Handler;
  const noted: Handler = (...args) => {
    notes.getStore()?.calls.push([name, ...args]);
    return handler(...args);
  };
  return rest.length === 1 ? cairn.action(name, noted) : cairn.action(name, rest[0], noted);
}

export function emit(type: string, data?: unknown): void {
  cairn.emit(type, data);
  notes.getStore()?.events.push(["emit", type, structuredClone(data)]);
}

export function progress(value: unknown): void {
  cairn.progress(value);
  notes.getStore()?.events.push(["progress", structuredClone(value)]);
}
