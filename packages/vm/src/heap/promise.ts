import type { Frame } from "../machine/frame.ts";
import { CONFIGURABLE, Kind, VArray, VObject, type Value } from "./value.ts";

export type PromiseState = "pending" | "fulfilled" | "rejected";

/** A promise is state, value and reactions: tagged records, never host closures. */
export class VPromise extends VObject {
  readonly kind = Kind.Promise;
  state: PromiseState = "pending";
  /** The value or the reason, once settled. */
  value: Value = undefined;
  reactions: Reaction[] = [];
  /** A rejection that something has taken notice of. */
  handled = false;
  /** How many reactions stood there after the last pruning: doubling from it makes pruning cost nothing. */
  prunedLength = 8;
}

/** What happens when a promise settles, in the order of registration. */
export type Reaction =
  | { readonly kind: "await"; readonly frame: Frame }
  | {
      readonly kind: "then";
      readonly onFulfilled: Value;
      readonly onRejected: Value;
      readonly derived: VPromise | null;
    }
  | { readonly kind: "pass"; readonly resolvers: Resolvers }
  | { readonly kind: "element"; readonly combinator: Combinator; readonly index: number };

/** The pair of functions that settle one promise; only the first call counts. */
export class Resolvers extends VObject {
  readonly kind = Kind.Work;
  readonly promise: VPromise;
  done = false;

  constructor(promise: VPromise) {
    super(null);
    this.promise = promise;
  }
}

/** `resolve` or `reject` as the program sees them. */
export class VResolver extends VObject {
  readonly kind = Kind.Resolver;
  readonly resolvers: Resolvers;
  readonly rejects: boolean;

  constructor(proto: VObject | null, resolvers: Resolvers, rejects: boolean) {
    super(proto);
    this.resolvers = resolvers;
    this.rejects = rejects;
    this.write("length", 1);
    this.write("name", "");
    this.attributes = new Map([
      ["length", CONFIGURABLE],
      ["name", CONFIGURABLE],
    ]);
  }
}

export type CombinatorMode = "all" | "allSettled" | "race" | "any";

/** One call of `Promise.all` and its like. */
export class Combinator extends VObject {
  readonly kind = Kind.Combinator;
  readonly mode: CombinatorMode;
  readonly promise: VPromise;
  readonly values: VArray;
  remaining = 1;
  /** The result is decided: what still arrives changes nothing. */
  settled = false;

  constructor(mode: CombinatorMode, promise: VPromise, values: VArray) {
    super(null);
    this.mode = mode;
    this.promise = promise;
    this.values = values;
  }
}

/** Whether running the reaction can have any effect. */
export function isLive(reaction: Reaction): boolean {
  if (reaction.kind === "element") return !reaction.combinator.settled;
  if (reaction.kind === "pass") return !reaction.resolvers.done;
  return true;
}

/**
 * Drops reactions that can do nothing any more. A loop that races one long promise against many short ones would
 * otherwise leave a dead reaction on it each time round.
 */
export function prune(promise: VPromise): void {
  promise.reactions = promise.reactions.filter(isLive);
  promise.prunedLength = Math.max(8, promise.reactions.length * 2);
}
