/**
 * From Node's module, taken when this one is loaded: fake timers of a test must not hold back results of actions,
 * not even those that are in the place of the global functions before anything is loaded.
 */
import { setImmediate as immediately } from "node:timers";

/**
 * The promise of something durable, natively: it settles in a macrotask of its own, as on the engine, where each
 * result is an input of its own. It counts as handled: "start now, await later" must not kill the process.
 */
export function durablePromise<T>(work: Promise<T>): Promise<T> {
  const promise = new Promise<T>((resolve, reject) => {
    work.then(
      (value) => immediately(() => resolve(value)),
      (error: unknown) => immediately(() => reject(error)),
    );
  });
  return handled(promise);
}

/** One that is rejected from the beginning: the call could not be made at all. */
export function refused(reason: unknown): Promise<never> {
  return handled(Promise.reject(reason));
}

function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
