import { ERROR_NAMES } from "../heap/properties.ts";
import { VBuiltin, VClass } from "../heap/function.ts";
import { VIntrinsic, type VObject } from "../heap/value.ts";
import type { Realm } from "../realm/realm.ts";

/** The program's error classes by the name that stored errors give them. */
export type ErrorClasses = ReadonlyMap<string, VClass>;

const BUILT_IN = new Set([
  "Error",
  "AggregateError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
]);

/** What errors of a class inherit from, if the program or the realm knows the class. */
export function errorPrototype(realm: Realm, classes: ErrorClasses, name: string): VObject | undefined {
  const known = classes.get(name);
  if (known !== undefined) return known.prototype;
  if (BUILT_IN.has(name)) return realm.prototype(name);
  return realm.intrinsics.get(`cairn.${name}.prototype`);
}

/**
 * An error whose class names are not those of its prototypes is encoded again with the names it came with: a
 * parent workflow may know a class that this program does not. They stand in its bag under `ERROR_NAMES`, which
 * own keys leave out.
 */
export function rememberNames(error: VObject, names: readonly string[]): void {
  error.write(ERROR_NAMES, JSON.stringify(names));
  (error.attributes ??= new Map()).set(ERROR_NAMES, 0);
}

export function hasRememberedNames(error: VObject): boolean {
  return error.has(ERROR_NAMES);
}

/** Class names from the most derived one to `Error`. */
export function namesOf(error: VObject): readonly string[] {
  const remembered = error.read(ERROR_NAMES);
  return typeof remembered === "string" ? (JSON.parse(remembered) as string[]) : namesFrom(error.proto);
}

export function namesFrom(prototype: VObject | null): string[] {
  const names: string[] = [];
  for (let at = prototype; at !== null; at = at.proto) {
    if (at instanceof VIntrinsic && at.path === "Object.prototype") break;
    const constructor = at.read("constructor");
    if (constructor instanceof VClass) names.push(constructor.name);
    else if (constructor instanceof VBuiltin) names.push(constructor.path.replace("cairn.", ""));
  }
  if (names.at(-1) !== "Error") names.push("Error");
  return names;
}
