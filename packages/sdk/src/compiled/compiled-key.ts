/** Registered: a tool and a project may have a copy of this package each. */
const PROGRAM = Symbol.for("cairnjs.key");

/** Transformed modules call it around functions that make the keys of limits; what it returns is the function itself. */
export function compiledKey<F>(key: F, program: () => string): F {
  if (typeof key === "function") Object.defineProperty(key, PROGRAM, { value: program, configurable: true });
  return key;
}

/** As JSON; undefined if no hook has seen the function. */
export function programOfKey(key: object): string | undefined {
  return (Object.getOwnPropertyDescriptor(key, PROGRAM)?.value as (() => string) | undefined)?.();
}
