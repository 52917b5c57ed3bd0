import { getIterator, DONE, iterateStep } from "../builtins/iterate.ts";
import type { HostTable, OperationTable } from "../builtins/host-table.ts";
import { Combinator, type CombinatorMode, Resolvers, VPromise, VResolver } from "../heap/promise.ts";
import { describe } from "../heap/property-errors.ts";
import { VObject, type Value } from "../heap/value.ts";
import { isCallable } from "./callable.ts";
import { Thrown, throwError, unsupported } from "./host.ts";
import { countDown, newPromise, newValues, react, rejectPromise, toPromise } from "./jobs.ts";
import type { Machine } from "./machine.ts";

/** `Promise` and its methods. The context of every built-in is the machine that runs it. */
export const promiseBuiltins: HostTable = {
  "Promise.resolve": {
    call: (context, self, args) => {
      requireConstructor(context as Machine, self, "resolve");
      return toPromise(context as Machine, args[0]);
    },
  },
  "Promise.reject": {
    call: (context, self, args) => {
      requireConstructor(context as Machine, self, "reject");
      const promise = newPromise(context as Machine);
      rejectPromise(context as Machine, promise, args[0]);
      return promise;
    },
  },
  "Promise.all": { call: (context, self, args) => combine(context as Machine, "all", self, args[0]) },
  "Promise.allSettled": { call: (context, self, args) => combine(context as Machine, "allSettled", self, args[0]) },
  "Promise.race": { call: (context, self, args) => combine(context as Machine, "race", self, args[0]) },
  "Promise.any": { call: (context, self, args) => combine(context as Machine, "any", self, args[0]) },
  "Promise.prototype.then": {
    call: (context, self, args) =>
      then(context as Machine, requirePromise(context as Machine, self, "then"), args[0], args[1]),
  },
  "Promise.prototype.catch": {
    call: (context, self, args) =>
      then(context as Machine, requirePromise(context as Machine, self, "catch"), undefined, args[0]),
  },
};

export const promiseOperations: OperationTable = {
  newPromise: (context) => newPromise(context as Machine),
  newResolvers: (_, args) => new Resolvers(args[0] as VPromise),
  resolveOf: (context, args) => new VResolver(context.realm.functionPrototype, args[0] as Resolvers, false),
  rejectOf: (context, args) => new VResolver(context.realm.functionPrototype, args[0] as Resolvers, true),
  toPromise: (context, args) => toPromise(context as Machine, args[0]),
  then: (context, args) => then(context as Machine, args[0] as VPromise, args[1], args[2]),
  requirePromise: (context, args) => requirePromise(context as Machine, args[0], String(args[1])),
};

function then(machine: Machine, promise: VPromise, onFulfilled: Value, onRejected: Value): VPromise {
  const derived = newPromise(machine);
  react(machine, promise, { kind: "then", onFulfilled, onRejected, derived });
  return derived;
}

/**
 * ECMA-262 goes through the promise's own `then` and `constructor`; the program can only have put its own there
 * by assigning to a promise, which is refused.
 */
function requirePromise(machine: Machine, value: Value, method: string): VPromise {
  if (!(value instanceof VPromise)) {
    if (value instanceof VObject && isCallable(value.read("then")))
      unsupported(`Promise.prototype.${method} of another object`);
    const shown = value instanceof VObject ? describe(value) : String(value);
    throwError(machine, "TypeError", `Method Promise.prototype.${method} called on incompatible receiver ${shown}`);
  }
  if (value.has("then") || value.has("constructor")) unsupported("a promise with a 'then' or 'constructor' of its own");
  return value;
}

function requireConstructor(machine: Machine, self: Value, method: string): void {
  if (self === machine.realm.builtin("Promise")) return;
  if (self instanceof VObject) unsupported(`Promise.${method} with another constructor`);
  throwError(machine, "TypeError", `Promise.${method} called on non-object`);
}

/** `Promise.all` and its like: elements are watched in order; none of this runs program code. */
function combine(machine: Machine, mode: CombinatorMode, self: Value, elements: Value): VPromise {
  requireConstructor(machine, self, mode);
  const promise = newPromise(machine);
  const combinator = new Combinator(mode, promise, newValues(machine));
  try {
    const iterator = getIterator(machine, elements);
    for (let index = 0; ; index++) {
      const element = iterateStep(machine, iterator);
      if (element === DONE) break;
      machine.charge(10, 60);
      if (mode !== "race") {
        combinator.values.items[index] = undefined;
        combinator.remaining++;
      }
      const watched = requirePromise(machine, toPromise(machine, element), mode);
      react(machine, watched, { kind: "element", combinator, index });
    }
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    combinator.settled = true;
    rejectPromise(machine, promise, error.value);
    return promise;
  }
  if (mode !== "race") countDown(machine, combinator);
  return promise;
}
