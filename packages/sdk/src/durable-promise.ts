/**
 * From Node's module, taken when this one is loaded: timers of a test that are in the place of the global functions must not
 * hold back results of actions, not even those that were there before anything was loaded.
 */
import { setImmediate as immediately } from "node:timers";

/**
 * The promise of something durable, natively: it settles in a macrotask of its own, as on the engine, where each
 * result is an input of its own. It counts as handled: "start now, await later" must not kill the process.
 */
export function durablePromise<T>(work: Promise<T>): Promise<T> {
  const promise = new Promise<T>((resolve, reject) => {
    work.then(
      (value) => soon(() => resolve(value)),
      (error: unknown) => soon(() => reject(error)),
    );
  });
  return handled(promise);
}

/**
 * While a test has fake timers, at once: what advances them (`advanceTimersByTimeAsync`) lets promises settle between two
 * timers, but does not wait for turns of the event loop, and would go past the next sleep before it has begun.
 */
function soon(settle: () => void): void {
  if (timersAreFake()) settle();
  else immediately(settle);
}

/** By the marks of those of Vitest, Jest and Sinon; Jest's older ones are mocks. */
function timersAreFake(): boolean {
  const { setTimeout } = globalThis as { setTimeout: object };
  return Object.hasOwn(setTimeout, "clock") || Object.hasOwn(setTimeout, "_isMockFunction");
}

/** One that is rejected from the beginning: the call could not be made at all. */
export function refused(reason: unknown): Promise<never> {
  return handled(Promise.reject(reason));
}

function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
