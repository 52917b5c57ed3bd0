import type { Builtin } from "@cairnjs/ir";
import type { VBuiltin } from "../heap/function.ts";
import type { VObject } from "../heap/value.ts";

/**
 * The intrinsic objects: prototypes, constructors, namespaces and functions, built once from the list of
 * built-ins. Frozen, and shared by every machine of the process; a snapshot names them by path.
 */
export interface Realm {
  /** By path: `Array.prototype`, `Math`, `Math.max`. */
  readonly intrinsics: ReadonlyMap<string, VObject>;
  readonly definitions: ReadonlyMap<string, Builtin>;
  readonly objectPrototype: VObject;
  readonly functionPrototype: VObject;
  readonly asyncFunctionPrototype: VObject;
  readonly arrayPrototype: VObject;
  readonly stringPrototype: VObject;
  readonly numberPrototype: VObject;
  readonly booleanPrototype: VObject;
  readonly bigintPrototype: VObject;
  readonly promisePrototype: VObject;
  /** A prototype by its constructor's name (`Map`, `TypeError`) or iterator's (`Array Iterator`). */
  prototype(name: string): VObject;
  builtin(path: string): VBuiltin;
}
