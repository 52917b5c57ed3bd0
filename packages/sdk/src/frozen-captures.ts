import { setMessage } from "./stacks.ts";

export interface FrozenCaptures {
  readonly captures: unknown;
  /** Throws if bytes were written: element by element JavaScript has no way to forbid that. */
  verify(): void;
}

/** What runs a lifted arrow: the captures it is given are frozen first. */
export function frozenHandler<Captures, Result>(lifted: (captures: Captures) => Promise<Result>) {
  return async (given: Captures): Promise<Result> => {
    const frozen = freezeCaptures(given);
    try {
      const result = await lifted(given);
      frozen.verify();
      return result;
    } catch (error) {
      if (error instanceof TypeError && isOfFrozenObject(error)) setMessage(error, `${error.message}. ${ADVICE}`);
      throw error;
    }
  };
}

const ADVICE =
  "What step() has captured is a frozen copy: change a copy of it (`[...list]`, `{ ...order }`, `structuredClone(order)`) " +
  "and return that, or change it in the body.";

/** As V8 says it; it does not say which object it was. */
function isOfFrozenObject({ message }: TypeError): boolean {
  return /^Cannot (?:assign to read only property|(?:add|delete|define|redefine) property)/.test(message);
}

/**
 * Makes what a step captured unwritable, all the way down: the body would never see a change. Frozen objects do
 * not protect Map, Set, Date and URL, whose content is no property; their methods that write are replaced by ones
 * that throw.
 */
export function freezeCaptures(captures: unknown): FrozenCaptures {
  const bytes = new Map<Uint8Array, Uint8Array>();
  const queue: unknown[] = [captures];
  const seen = new Set<unknown>();
  for (let index = 0; index < queue.length; index++) {
    const value = queue[index];
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof Uint8Array) {
      bytes.set(value, value.slice());
      refuse(value, ["set", "fill", "reverse", "sort", "copyWithin"]);
      continue;
    }
    if (Object.isFrozen(value)) continue;
    queue.push(...protect(value));
    Object.freeze(value);
  }
  return { captures, verify: () => bytes.forEach((copy, value) => verifyBytes(value, copy)) };
}

/** Replaces what writes past the properties, and gives what the value contains. */
function protect(value: object): unknown[] {
  if (value instanceof Map) {
    refuse(value, ["set", "delete", "clear"]);
    return [...value.keys(), ...value.values()];
  }
  if (value instanceof Set) {
    refuse(value, ["add", "delete", "clear"]);
    return [...value];
  }
  if (value instanceof Date) refuse(value, namesBeginning(Date.prototype, "set"));
  if (value instanceof URLSearchParams) refuse(value, ["append", "delete", "set", "sort"]);
  if (value instanceof URL) return [protectUrl(value)];
  return Object.values(Object.getOwnPropertyDescriptors(value)).map((descriptor) => descriptor.value as unknown);
}

function protectUrl(url: URL): URLSearchParams {
  for (const [name, part] of Object.entries(Object.getOwnPropertyDescriptors(URL.prototype))) {
    if (part.set === undefined) continue;
    Object.defineProperty(url, name, { get: () => part.get?.call(url) as unknown, set: refusal("URL") });
  }
  const params = new URLSearchParams(url.search);
  Object.defineProperty(url, "searchParams", { value: params });
  return params;
}

function refuse(value: object, methods: readonly string[]): void {
  for (const method of methods) {
    // A second time around nothing is left to do: the refusal of the first cannot be replaced.
    if (!Object.hasOwn(value, method)) Object.defineProperty(value, method, { value: refusal(kindOf(value)) });
  }
}

function refusal(kind: string): () => never {
  return () => {
    throw new TypeError(`Cannot change a ${kind}. ${ADVICE}`);
  };
}

function verifyBytes(value: Uint8Array, copy: Uint8Array): void {
  if (Buffer.compare(value, copy) !== 0) refusal("Uint8Array")();
}

function namesBeginning(prototype: object, prefix: string): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name.startsWith(prefix));
}

function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
