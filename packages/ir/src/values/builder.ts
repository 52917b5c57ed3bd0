export type Primitive = undefined | null | boolean | number | string | bigint;

/**
 * How the decoder makes values of one object model. Containers are created empty and filled afterwards, so
 * that a value may hold itself; what is created from parts (dates, bytes, codecs…) never can.
 */
export interface ValueBuilder<V> {
  primitive(value: Primitive): V;

  object(): V;
  /**
   * An own enumerable property of an object, array or error, whatever the key: `__proto__` is a property
   * like any other. On an error it replaces one of that name.
   */
  define(target: V, key: string, value: V): void;

  /** A plain array, filled by `append` from index 0. */
  array(): V;
  append(array: V, value: V): void;
  /** An array of holes, up to 2^32 − 1 of them: must not allocate what it declares. */
  sparse(length: number): V;
  setElement(array: V, index: number, value: V): void;

  map(): V;
  setEntry(map: V, key: V, value: V): void;
  set(): V;
  addMember(set: V, value: V): void;

  /** NaN makes an invalid date. */
  date(time: number): V;
  /** The array is fresh and may be kept. */
  bytes(bytes: Uint8Array): V;
  url(href: string): V;
  params(pairs: readonly (readonly [name: string, value: string])[]): V;

  error(names: readonly string[], message: string | undefined): V;
  setCause(error: V, cause: V): void;
  setErrors(error: V, errors: V): void;

  codec(name: string, payload: V): V;

  /**
   * What an exception that came out of this builder means: the text to blame for it (an invalid URL), or
   * undefined to let the exception pass (an engine error of the VM).
   */
  explain(thrown: unknown): string | undefined;
}
