export type NativeErrorClass = abstract new (...parameters: never[]) => Error;

/** Error classes by the name that stored errors give them; names here win over `constructor.name`. */
export type NativeErrorClasses = ReadonlyMap<string, NativeErrorClass>;

/**
 * The class names of a decoded error whose classes are not known here, so that it is encoded again with the
 * names it came with. A registered symbol: two copies of this package must understand each other.
 */
const NAMES = Symbol.for("cairn.errorNames");

/** A proxy may invent prototypes for ever. */
const NAMES_MAX = 100;

/** Class names from the most derived one to `Error`. */
export function namesOfError(error: object, namesByPrototype: ReadonlyMap<object, string>): readonly string[] {
  return rememberedNames(error) ?? namesOfPrototype(Object.getPrototypeOf(error), namesByPrototype);
}

export function rememberedNames(error: object): readonly string[] | undefined {
  const names: unknown = Object.getOwnPropertyDescriptor(error, NAMES)?.value;
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : undefined;
}

export function rememberNames(error: object, names: readonly string[]): void {
  Object.defineProperty(error, NAMES, { value: Object.freeze([...names]), configurable: true });
}

export function namesOfPrototype(start: object | null, namesByPrototype: ReadonlyMap<object, string>): string[] {
  const names: string[] = [];
  let prototype = start;
  while (prototype !== null && names.length < NAMES_MAX) {
    const above: object | null = Object.getPrototypeOf(prototype);
    // The last prototype is Object's, of this realm or another.
    if (above === null) break;
    const name = namesByPrototype.get(prototype) ?? constructorName(prototype);
    if (name !== "") names.push(name);
    prototype = above;
  }
  if (names.at(-1) !== "Error") names.push("Error");
  return names;
}

/** The name of the class a prototype belongs to, empty if it has none. */
export function constructorName(prototype: object): string {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof constructor !== "function") return "";
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
  return typeof name === "string" ? name : "";
}

/** Of lists that never change: who encodes every argument and result would make the table each time. */
const fixed = new WeakMap<NativeErrorClasses, ReadonlyMap<object, string>>();

/** Says of a list of classes that it will not change. */
export function fixedErrorClasses(classes: NativeErrorClasses): NativeErrorClasses {
  fixed.set(classes, namesByPrototypeOf(classes));
  return classes;
}

export function namesByPrototypeOf(classes: NativeErrorClasses): ReadonlyMap<object, string> {
  const known = fixed.get(classes);
  if (known !== undefined) return known;
  const names = new Map<object, string>();
  for (const [name, errorClass] of classes) names.set(errorClass.prototype, name);
  return names;
}
