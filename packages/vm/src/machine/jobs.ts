import { type Combinator, type Reaction, Resolvers, VPromise, VResolver, isLive, prune } from "../heap/promise.ts";
import { VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { getProperty, putHidden } from "../heap/properties.ts";
import { Frame } from "./frame.ts";
import { EngineError, unsupported } from "./host.ts";
import { isCallable } from "./callable.ts";
import type { Machine } from "./machine.ts";
import { unwind } from "./unwind.ts";

/**
 * Promises, job for job as ECMA-262 has them. The queue is part of the machine's state.
 */
export type Job =
  | { readonly kind: "reaction"; readonly reaction: Reaction; readonly fulfilled: boolean; readonly value: Value }
  | { readonly kind: "thenable"; readonly promise: VPromise; readonly thenable: VObject; readonly then: Value };

export function newPromise(machine: Machine): VPromise {
  machine.bytesAllocated += 120;
  return new VPromise(machine.realm.promisePrototype);
}

/** ECMA-262's promise resolve functions: what `resolve(value)` does to a promise that is still unresolved. */
export function resolvePromise(machine: Machine, promise: VPromise, value: Value): void {
  if (!(value instanceof VObject)) {
    settle(machine, promise, true, value);
    return;
  }
  if (value === promise) {
    rejectPromise(machine, promise, machine.newError("TypeError", "Chaining cycle detected for promise #<Promise>"));
    return;
  }
  const then = getProperty(machine, value, "then");
  if (!isCallable(then)) {
    settle(machine, promise, true, value);
    return;
  }
  enqueue(machine, { kind: "thenable", promise, thenable: value, then });
}

export function rejectPromise(machine: Machine, promise: VPromise, reason: Value): void {
  settle(machine, promise, false, reason);
}

function settle(machine: Machine, promise: VPromise, fulfilled: boolean, value: Value): void {
  if (promise.state !== "pending") return;
  if (!promise.touched) machine.markTouched(promise);
  promise.state = fulfilled ? "fulfilled" : "rejected";
  promise.value = value;
  const reactions = promise.reactions;
  promise.reactions = [];
  if (!fulfilled && !promise.handled) machine.noteUnhandled(promise);
  for (const reaction of reactions)
    if (isLive(reaction)) enqueue(machine, { kind: "reaction", reaction, fulfilled, value });
}

function enqueue(machine: Machine, job: Job): void {
  if (machine.jobs.length - machine.jobsTaken >= machine.limits.openPromisesMax * 10) {
    throw new EngineError(
      "TooManyPromises",
      `More than ${machine.limits.openPromisesMax * 10} promise jobs are waiting`,
    );
  }
  machine.bytesAllocated += 40;
  machine.jobs.push(job);
}

/** ECMA-262's PerformPromiseThen. */
export function react(machine: Machine, promise: VPromise, reaction: Reaction): void {
  if (promise.state === "pending") {
    if (!promise.touched) machine.markTouched(promise);
    machine.bytesAllocated += 40;
    promise.reactions.push(reaction);
    if (promise.reactions.length > promise.prunedLength) prune(promise);
  } else {
    if (promise.state === "rejected" && !promise.handled) machine.noteHandled(promise);
    enqueue(machine, { kind: "reaction", reaction, fulfilled: promise.state === "fulfilled", value: promise.value });
  }
  if (!promise.handled) {
    if (!promise.touched) machine.markTouched(promise);
    promise.handled = true;
  }
}

/** ECMA-262's PromiseResolve for the built-in Promise. */
export function toPromise(machine: Machine, value: Value): VPromise {
  if (value instanceof VPromise) {
    if (value.has("constructor")) unsupported("a promise with a 'constructor' of its own");
    return value;
  }
  const promise = newPromise(machine);
  resolvePromise(machine, promise, value);
  return promise;
}

/** `await value` in the running frame, which is then no longer running. */
export function awaitValue(machine: Machine, frame: Frame, value: Value): void {
  if (value instanceof VObject) react(machine, toPromise(machine, value), { kind: "await", frame });
  else enqueue(machine, { kind: "reaction", reaction: { kind: "await", frame }, fulfilled: true, value });
}

/** Takes the next job and makes it the running frame, or carries it out at once. */
export function startJob(machine: Machine): void {
  const job = machine.jobs[machine.jobsTaken]!;
  machine.jobsTaken++;
  if (machine.jobsTaken > 1024 && machine.jobsTaken * 2 > machine.jobs.length) {
    machine.jobs = machine.jobs.slice(machine.jobsTaken);
    machine.jobsTaken = 0;
  }
  if (job.kind === "thenable") startThenable(machine, job.promise, job.thenable, job.then);
  else startReaction(machine, job.reaction, job.fulfilled, job.value);
}

/** Resolving functions, a frame and a call of the program's `then`. */
const THENABLE_FUEL = 50;

function startThenable(machine: Machine, promise: VPromise, thenable: VObject, then: Value): void {
  machine.charge(THENABLE_FUEL, 0);
  const resolvers = new Resolvers(promise);
  if (thenable instanceof VPromise && then === machine.realm.builtin("Promise.prototype.then")) {
    react(machine, thenable, { kind: "pass", resolvers });
    return;
  }
  const proto = machine.realm.functionPrototype;
  const reject = new VResolver(proto, resolvers, true);
  const frame = jobFrame(machine, "job_thenable", [then, thenable, new VResolver(proto, resolvers, false), reject]);
  frame.settle = reject;
  machine.frame = frame;
}

function startReaction(machine: Machine, reaction: Reaction, fulfilled: boolean, value: Value): void {
  switch (reaction.kind) {
    case "await":
      resume(machine, reaction.frame, fulfilled, value);
      return;
    case "pass":
      settleBy(machine, reaction.resolvers, !fulfilled, value);
      return;
    case "element":
      settleElement(machine, reaction.combinator, reaction.index, fulfilled, value);
      return;
    case "then": {
      const handler = fulfilled ? reaction.onFulfilled : reaction.onRejected;
      if (isCallable(handler)) {
        const frame = jobFrame(machine, "job_reaction", [handler, value]);
        frame.settle = reaction.derived;
        machine.frame = frame;
      } else if (reaction.derived !== null) {
        if (fulfilled) resolvePromise(machine, reaction.derived, value);
        else rejectPromise(machine, reaction.derived, value);
      }
    }
  }
}

function resume(machine: Machine, frame: Frame, fulfilled: boolean, value: Value): void {
  if (!frame.touched) machine.markTouched(frame);
  machine.frame = frame;
  if (fulfilled) {
    frame.registers[frame.unit.code[frame.position + 1]!] = value;
    frame.position += 3;
  } else {
    unwind(machine, value);
  }
}

function jobFrame(machine: Machine, name: string, args: readonly Value[]): Frame {
  const frame = new Frame(machine.preludeUnit(name), null, [], undefined, null, 0);
  machine.bytesAllocated += frame.unit.frameBytes;
  args.forEach((value, index) => (frame.registers[index] = value));
  return frame;
}

/** What calling `resolve` or `reject` does. */
export function settleBy(machine: Machine, resolvers: Resolvers, rejects: boolean, value: Value): void {
  if (resolvers.done) return;
  if (!resolvers.touched) machine.markTouched(resolvers);
  resolvers.done = true;
  if (rejects) rejectPromise(machine, resolvers.promise, value);
  else resolvePromise(machine, resolvers.promise, value);
}

/** One more of the promises that a combinator watches has settled; index -1 is the end of its own counting. */
function settleElement(
  machine: Machine,
  combinator: Combinator,
  index: number,
  fulfilled: boolean,
  value: Value,
): void {
  if (combinator.settled) return;
  if (!combinator.touched) machine.markTouched(combinator);
  const { mode, values } = combinator;
  if (mode === "race" || (mode === "all" && !fulfilled) || (mode === "any" && fulfilled)) {
    combinator.settled = true;
    if (fulfilled) resolvePromise(machine, combinator.promise, value);
    else rejectPromise(machine, combinator.promise, value);
    return;
  }
  if (!values.touched) machine.markTouched(values);
  values.items[index] = mode === "allSettled" ? settlement(machine, fulfilled, value) : value;
  countDown(machine, combinator);
}

export function countDown(machine: Machine, combinator: Combinator): void {
  if (--combinator.remaining > 0) return;
  combinator.settled = true;
  if (combinator.mode === "any") {
    const error = machine.newError("AggregateError", "All promises were rejected");
    putHidden(error, "errors", combinator.values);
    rejectPromise(machine, combinator.promise, error);
  } else {
    resolvePromise(machine, combinator.promise, combinator.values);
  }
}

function settlement(machine: Machine, fulfilled: boolean, value: Value): VPlain {
  const entry = new VPlain(machine.realm.objectPrototype);
  entry.write("status", fulfilled ? "fulfilled" : "rejected");
  entry.write(fulfilled ? "value" : "reason", value);
  machine.bytesAllocated += 120;
  return entry;
}

export function newValues(machine: Machine): VArray {
  return new VArray(machine.realm.arrayPrototype, []);
}
