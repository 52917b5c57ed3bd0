import {
  Combinator,
  type CombinatorMode,
  type Reaction,
  Resolvers,
  VPromise,
  VResolver,
  isLive,
} from "../heap/promise.ts";
import { Kind, VArray, type Value } from "../heap/value.ts";
import { Frame } from "../machine/frame.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, In, Layout, Mutable, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of promises and what settles them. */

const STATES = ["pending", "fulfilled", "rejected"] as const;

const promise: Layout<VPromise> = {
  shell() {},
  make: (from) => new VPromise(from.image.realm.promisePrototype),
  body(object, out) {
    writeProperties(object, out);
    out.byte(STATES.indexOf(object.state) * 2 + (object.handled ? 1 : 0));
    out.value(object.value);
    const live = object.reactions.filter(isLive);
    out.uint(live.length);
    for (const reaction of live) writeReaction(reaction, out);
  },
  fill(object, from) {
    readProperties(object, from);
    const flags = from.byte();
    const state = STATES[flags >> 1];
    if (state === undefined) invalid("a promise in no known state");
    object.state = state;
    object.handled = (flags & 1) !== 0;
    object.value = from.value();
    object.reactions = Array.from({ length: from.count() }, () => readReaction(from));
    if (state !== "pending" && object.reactions.length > 0) invalid("a settled promise with reactions");
  },
};

export function writeReaction(reaction: Reaction, out: Out): void {
  switch (reaction.kind) {
    case "await":
      out.byte(0);
      out.value(reaction.frame as unknown as Value);
      return;
    case "then":
      out.byte(1);
      out.value(reaction.onFulfilled);
      out.value(reaction.onRejected);
      out.value(reaction.derived);
      return;
    case "pass":
      out.byte(2);
      out.value(reaction.resolvers);
      return;
    case "element":
      out.byte(3);
      out.value(reaction.combinator);
      out.uint(reaction.index);
  }
}

export function readReaction(from: In): Reaction {
  switch (from.byte()) {
    case 0:
      return { kind: "await", frame: from.object(Frame) };
    case 1: {
      const onFulfilled = from.value();
      const onRejected = from.value();
      return { kind: "then", onFulfilled, onRejected, derived: from.optional(VPromise) };
    }
    case 2:
      return { kind: "pass", resolvers: from.object(Resolvers) };
    case 3: {
      const combinator = from.object(Combinator);
      return { kind: "element", combinator, index: from.uint() };
    }
    default:
      return invalid("a reaction of no known kind");
  }
}

const resolvers: Layout<Resolvers> = {
  shell() {},
  make: (from) => new Resolvers(new VPromise(from.image.realm.promisePrototype)),
  body(object, out) {
    out.value(object.promise);
    out.byte(object.done ? 1 : 0);
  },
  fill(object, from) {
    (object as Mutable<Resolvers>).promise = from.object(VPromise);
    object.done = from.boolean();
  },
};

const resolver: Layout<VResolver> = {
  shell() {},
  make(from) {
    const { realm } = from.image;
    return new VResolver(realm.functionPrototype, new Resolvers(new VPromise(realm.promisePrototype)), false);
  },
  body(object, out) {
    writeProperties(object, out);
    out.value(object.resolvers);
    out.byte(object.rejects ? 1 : 0);
  },
  fill(object, from) {
    readProperties(object, from);
    const made = object as Mutable<VResolver>;
    made.resolvers = from.object(Resolvers);
    made.rejects = from.boolean();
  },
};

const COMBINATORS: readonly CombinatorMode[] = ["all", "allSettled", "race", "any"];

const combinator: Layout<Combinator> = {
  shell(object, out) {
    out.byte(COMBINATORS.indexOf(object.mode));
  },
  make(from) {
    const mode = COMBINATORS[from.byte()];
    if (mode === undefined) invalid("a combinator of no known kind");
    const { realm } = from.image;
    return new Combinator(mode, new VPromise(realm.promisePrototype), new VArray(realm.arrayPrototype, []));
  },
  body(object, out) {
    out.value(object.promise);
    out.value(object.values);
    out.uint(object.remaining);
    out.byte(object.settled ? 1 : 0);
  },
  fill(object, from) {
    const made = object as Mutable<Combinator>;
    made.promise = from.object(VPromise);
    made.values = from.object(VArray);
    made.remaining = from.uint();
    made.settled = from.boolean();
  },
};

export const promiseLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  [Kind.Promise]: promise,
  [Kind.Work]: resolvers,
  [Kind.Resolver]: resolver,
  [Kind.Combinator]: combinator,
};
