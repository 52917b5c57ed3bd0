/**
 * The first difference between two graphs of host values, undefined if they are the same but for the
 * identity of objects: same kinds, same content in the same order, same sharing, same cycles. Knows nothing
 * of the encoding. Stacks of errors and the absence of a prototype are not compared.
 */
export function differenceBetween(left: unknown, right: unknown): string | undefined {
  const pairs: Pair[] = [{ left, right, path: "" }];
  const rightOf = new Map<object, object>();
  const leftOf = new Map<object, object>();
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const { left: a, right: b, path } = pair;
    if (!isObject(a) || !isObject(b)) {
      if (!Object.is(a, b)) return `${path}: ${String(a)} and ${String(b)}`;
      continue;
    }
    if (rightOf.has(a) || leftOf.has(b)) {
      if (rightOf.get(a) !== b || leftOf.get(b) !== a) return `${path}: shared with different objects`;
      continue;
    }
    rightOf.set(a, b);
    leftOf.set(b, a);
    const difference = compareObjects(a, b, path, pairs);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

interface Pair {
  readonly left: unknown;
  readonly right: unknown;
  readonly path: string;
}

function compareObjects(a: object, b: object, path: string, pairs: Pair[]): string | undefined {
  if (prototypeOf(a) !== prototypeOf(b)) return `${path}: different prototypes`;
  const partsOfA = partsOf(a);
  const partsOfB = partsOf(b);
  const names = [...partsOfA.keys()];
  const others = [...partsOfB.keys()];
  if (names.length !== others.length || names.some((name, i) => name !== others[i])) {
    return `${path}: parts ${names.join()} and ${others.join()}`;
  }
  // A path per pair would be quadratic on long chains.
  const shown = path.length < 200 ? path : path.slice(-100);
  for (const [name, left] of partsOfA) {
    pairs.push({ left, right: partsOfB.get(name), path: `${shown}/${name}` });
  }
  return undefined;
}

/** All that is observable of an object, under names in the order in which it is. */
function partsOf(object: object): Map<string, unknown> {
  const parts = new Map<string, unknown>();
  const add = (name: string, value: unknown) => parts.set(name, value);
  if (object instanceof Map) {
    let i = 0;
    for (const [key, value] of object) {
      add(`key ${i}`, key);
      add(`value ${i++}`, value);
    }
  } else if (object instanceof Set) {
    let i = 0;
    for (const member of object) add(`member ${i++}`, member);
  } else if (object instanceof Date) add("time", object.getTime());
  else if (object instanceof URL) add("href", object.href);
  else if (object instanceof URLSearchParams) add("params", object.toString());
  else if (object instanceof Uint8Array) {
    add("bytes", String(object));
    return parts;
  }
  if (Array.isArray(object)) add("length", object.length);
  if (object instanceof Error) {
    for (const name of ["message", "cause", "errors", "name"]) {
      const own = Object.getOwnPropertyDescriptor(object, name);
      if (own?.enumerable === false) add(`hidden ${name}`, own.value);
    }
  }
  for (const key of Object.keys(object)) add(`.${key}`, (object as Record<string, unknown>)[key]);
  return parts;
}

function prototypeOf(object: object): object {
  return (Object.getPrototypeOf(object) as object | null) ?? Object.prototype;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
