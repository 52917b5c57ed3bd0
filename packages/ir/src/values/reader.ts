import type { Unstorable } from "./not-storable.ts";

/**
 * What an object can be stored as. `array` is a plain one: every index below the length is there and it has
 * no other own enumerable property; `sparse` is every other array.
 */
export type ValueKind =
  | "object"
  | "array"
  | "sparse"
  | "map"
  | "set"
  | "date"
  | "bytes"
  | "url"
  | "params"
  | "error"
  | "codec";

/**
 * How the encoder looks at one object model: host JavaScript, or the heap of the VM. Strings, numbers,
 * booleans, bigints, `null` and `undefined` are the host's own in every model and never reach a reader; all
 * else does. Each method is called only for values of the kind it is listed under, once per value.
 */
export interface ValueReader<V> {
  kindOf(value: V): ValueKind | Unstorable;

  /** object: own enumerable string keys in order; sparse: those that are no index. */
  keys(value: V): readonly string[];
  /** object, sparse, error: the value of an own property; for an error also `cause` and `errors`. */
  get(value: V, key: string): V;

  /** array, sparse */
  length(value: V): number;
  at(value: V, index: number): V;
  /** sparse: the indices that are there, ascending. */
  indices(value: V): readonly number[];

  /** map: key, value, key, value, … in order; a flat list, since a pair per entry costs an allocation. */
  entries(value: V): readonly V[];
  /** set */
  members(value: V): readonly V[];

  /** date: milliseconds, NaN for an invalid one. */
  time(value: V): number;
  bytes(value: V): Uint8Array;
  href(value: V): string;
  params(value: V): readonly (readonly [name: string, value: string])[];

  error(value: V): ErrorParts;
  codec(value: V): CodecParts<V>;

  /**
   * What an exception that came out of this reader means: a reason to refuse the value (a getter of the
   * user's threw), or undefined to let the exception pass (an engine error of the VM).
   */
  explain(thrown: unknown): Unstorable | undefined;
}

export interface ErrorParts {
  /** Class names from the most derived one to `Error`. */
  readonly names: readonly string[];
  readonly message: string | undefined;
  readonly hasCause: boolean;
  /** An own, not enumerable `errors`, as `AggregateError` makes it. */
  readonly hasErrors: boolean;
  /** Own properties to keep, in order; without the parts above and without `stack`. */
  readonly keys: readonly string[];
}

export interface CodecParts<V> {
  readonly name: string;
  readonly payload: V;
}
