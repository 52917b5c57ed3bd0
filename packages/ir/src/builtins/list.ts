import type { Builtin } from "./builtin.ts";
import { arrayList } from "./families/array.ts";
import { collectionList } from "./families/collection.ts";
import { dateList } from "./families/date.ts";
import { errorList } from "./families/error.ts";
import { machineList } from "./families/machine.ts";
import { numberList } from "./families/number.ts";
import { objectList } from "./families/object.ts";
import { textList } from "./families/text.ts";
import { webList } from "./families/web.ts";
import { entry, parseSignature } from "./signature.ts";
import { v8Globals, v8Names } from "./v8-names.ts";

/** Prototypes whose parent is not told by what their constructor extends. */
const PROTOTYPE_PARENTS: Readonly<Record<string, string>> = {
  "DOMException.prototype": "Error.prototype",
  "AsyncFunction.prototype": "Function.prototype",
  "cairn.Durable.prototype": "Function.prototype",
};

/**
 * The one list of what exists in workflow bodies. The VM's intrinsic objects, the reference pages, the generator
 * of the differential test and its coverage are made from it.
 */
export const builtins: readonly Builtin[] = completed(
  [arrayList, objectList, textList, numberList, collectionList, dateList, errorList, machineList, webList].flatMap(
    (lines) =>
      lines
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(parseSignature),
  ),
);

const byPath: ReadonlyMap<string, Builtin> = new Map(builtins.map((builtin) => [builtin.path, builtin]));

/** The entry of exactly this path. */
export function builtinAt(path: string): Builtin | undefined {
  return byPath.get(path);
}

/** Names of the list that a program may use as globals. */
export const globalNames: readonly string[] = builtins
  .map((builtin) => builtin.path)
  .filter((path) => !path.includes(".") && path !== "cairn" && path !== "TypedArray");

/**
 * Whether reading the path gives something that workflows have: an entry, an own property that every function
 * has, or what the object inherits (`Uint8Array.from`, `Math.hasOwnProperty`).
 */
export function isBuiltin(path: string): boolean {
  if (byPath.has(path)) return true;
  const dot = path.lastIndexOf(".");
  if (dot < 0) return false;
  const name = path.slice(dot + 1);
  const owner = byPath.get(path.slice(0, dot));
  if (owner === undefined || isLeftOut(owner.path, name)) return false;
  if (owner.callable || owner.constructible) {
    if (name === "name" || name === "length") return true;
    return isBuiltin(`${owner.parent === "" ? "Function.prototype" : owner.parent}.${name}`);
  }
  if (owner.kind === "prototype" && name === "constructor")
    return isBuiltin(path.slice(0, -".prototype.constructor".length));
  if (owner.kind !== "prototype" && owner.kind !== "namespace") return false;
  return (
    owner.path !== "Object.prototype" && isBuiltin(`${owner.parent === "" ? "Object.prototype" : owner.parent}.${name}`)
  );
}

/** V8's own property hides the inherited one: `Array.toString` is not Object.prototype's. */
function isLeftOut(owner: string, name: string): boolean {
  return name !== "constructor" && name !== "name" && name !== "length" && v8NamesOf(owner).includes(name);
}

/**
 * Own property names of a V8 intrinsic, in V8's order; empty for one that V8 lacks (`cairn`). Those that are
 * neither in the list nor `constructor`, `prototype`, `name` or `length` are known and unsupported.
 */
export function v8NamesOf(path: string): readonly string[] {
  return v8Names[path] ?? [];
}

export function isV8Global(name: string): boolean {
  return v8GlobalSet.has(name);
}

const v8GlobalSet: ReadonlySet<string> = new Set(v8Globals);

/** Adds the prototypes and namespaces that the lines imply. */
function completed(listed: readonly Builtin[]): Builtin[] {
  const all = new Map(listed.map((builtin) => [builtin.path, builtin]));
  if (all.size !== listed.length) throw new Error("A path stands twice in the list of built-ins");
  const addPrototype = (path: string, usual: string): void => {
    all.set(path, entry({ path, kind: "prototype", parent: PROTOTYPE_PARENTS[path] ?? usual }));
  };
  for (const { kind, path, parent } of listed) {
    if (kind === "constructor") addPrototype(`${path}.prototype`, parent === "" ? "" : `${parent}.prototype`);
  }
  for (const { path } of listed) {
    const owner = path.slice(0, Math.max(0, path.lastIndexOf(".")));
    if (owner === "" || all.has(owner)) continue;
    if (owner.endsWith(".prototype"))
      addPrototype(owner, owner.endsWith(" Iterator.prototype") ? "Iterator.prototype" : "");
    else all.set(owner, entry({ path: owner, kind: "namespace" }));
  }
  addPrototype("Iterator.prototype", "");
  addPrototype("AsyncFunction.prototype", "");
  return [...all.values()];
}
