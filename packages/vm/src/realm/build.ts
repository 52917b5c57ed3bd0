import { type Builtin, builtins, v8NamesOf } from "@cairnjs/ir";
import type { HostEntry, HostTable } from "../builtins/host-table.ts";
import { UNSUPPORTED } from "../heap/unsupported.ts";
import { type CodeUnit, type Implementation, VBuiltin, VGetter } from "../heap/function.ts";
import { CONFIGURABLE, HIDDEN, VIntrinsic, VObject, type Value, WRITABLE } from "../heap/value.ts";
import { type HostFunction, unsupported } from "../machine/host.ts";
import type { Realm } from "./realm.ts";

/** Finds prelude code by function name. */
export type FindUnit = (name: string) => CodeUnit | null;

export function buildRealm(hosts: HostTable, findUnit: FindUnit): Realm {
  const definitions = new Map(builtins.map((builtin) => [builtin.path, builtin]));
  const intrinsics = new Map<string, VObject>();
  const make = (path: string): VObject => {
    const known = intrinsics.get(path);
    if (known !== undefined) return known;
    const definition = definitions.get(path);
    if (definition === undefined) throw new Error(`'${path}' is not in the list of built-ins`);
    const made =
      definition.sameAs === ""
        ? makeObject(definition, parentOf(definition, make), hosts, findUnit)
        : make(definition.sameAs);
    intrinsics.set(path, made);
    return made;
  };
  for (const { path, kind } of builtins) if (kind !== "getter" && kind !== "constant") make(path);
  for (const definition of builtins) attach(definition, intrinsics, hosts);
  for (const [path, object] of intrinsics) {
    complete(path, object, intrinsics);
    object.captured = true;
  }
  return realmOf(intrinsics, definitions);
}

function makeObject(definition: Builtin, parent: VObject | null, hosts: HostTable, findUnit: FindUnit): VObject {
  if (definition.path === "Function.prototype") return new VBuiltin(parent, definition.path, IDLE);
  if (definition.kind === "namespace" || definition.kind === "prototype")
    return new VIntrinsic(parent, definition.path);
  const made = new VBuiltin(parent, definition.path, implementationOf(definition, hosts[definition.path], findUnit));
  setOwn(made, "length", definition.length, CONFIGURABLE);
  setOwn(made, "name", nameOf(definition.path), CONFIGURABLE);
  return made;
}

/** `Function.prototype` is itself a function, which does nothing. */
const IDLE: Implementation = {
  call: () => undefined,
  construct: null,
  prelude: null,
  constructPrelude: null,
  coerce: "",
};

function implementationOf(definition: Builtin, host: HostEntry | undefined, findUnit: FindUnit): Implementation {
  const name = definition.path.replaceAll(/[. ]/g, "_");
  const coerce = /[sn]/.test(definition.coerce) ? definition.coerce : "";
  return {
    call: definition.refused.includes("call") ? refusal(definition.path) : (host?.call ?? null),
    construct: definition.refused.includes("new") ? refusal(`new ${definition.path}`) : (host?.construct ?? null),
    prelude: findUnit(name),
    constructPrelude: findUnit(`new_${name}`),
    coerce,
  };
}

/** V8 has this use and workflows do not. */
function refusal(what: string): HostFunction {
  return () => unsupported(what);
}

/** What the object inherits from: the list says so where it is not the usual. */
function parentOf(definition: Builtin, make: (path: string) => VObject): VObject | null {
  if (definition.path === "Object.prototype") return null;
  if (definition.parent !== "") return make(definition.parent);
  const plain = definition.kind === "namespace" || definition.kind === "prototype";
  return make(plain ? "Object.prototype" : "Function.prototype");
}

/** Puts the built-in under its name into the object that holds it. */
function attach(definition: Builtin, intrinsics: ReadonlyMap<string, VObject>, hosts: HostTable): void {
  const dot = definition.path.lastIndexOf(".");
  const owner = intrinsics.get(definition.path.slice(0, Math.max(0, dot)));
  if (owner === undefined) return;
  const name = definition.path.slice(dot + 1);
  const host = hosts[definition.path];
  if (definition.kind === "getter") {
    if (host?.get === undefined) throw new Error(`'${definition.path}' has no getter`);
    setOwn(owner, name, new VGetter(definition.path, host.get, host.set ?? null), HIDDEN);
  } else if (definition.kind === "constant") {
    setOwn(owner, name, host?.value, constantAttributes(owner, name));
  } else {
    const value = intrinsics.get(definition.path)!;
    setOwn(owner, name, value, name === "prototype" ? 0 : HIDDEN);
    if (name === "prototype" && owner instanceof VBuiltin) setOwn(value, "constructor", owner, HIDDEN);
  }
}

function constantAttributes(owner: VObject, name: string): number {
  if (!(owner instanceof VIntrinsic) || !owner.path.endsWith(".prototype")) return 0;
  if (name === "length") return owner.path === "Array.prototype" ? WRITABLE : 0;
  return name === "BYTES_PER_ELEMENT" ? 0 : HIDDEN;
}

/** Marks what V8's object has and ours does not. */
function complete(path: string, object: VObject, intrinsics: ReadonlyMap<string, VObject>): void {
  if (path === "Function.prototype") {
    setOwn(object, "length", 0, CONFIGURABLE);
    setOwn(object, "name", "", CONFIGURABLE);
  }
  for (const name of v8NamesOf(path)) {
    if (object.has(name) || (name === "prototype" && !intrinsics.has(`${path}.prototype`))) continue;
    setOwn(object, name, UNSUPPORTED, HIDDEN);
  }
}

function setOwn(object: VObject, name: string, value: Value, attributes: number): void {
  object.write(name, value);
  (object.attributes ??= new Map()).set(name, attributes);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function realmOf(intrinsics: ReadonlyMap<string, VObject>, definitions: ReadonlyMap<string, Builtin>): Realm {
  const prototype = (name: string): VObject => {
    const found = intrinsics.get(`${name}.prototype`);
    if (found === undefined) throw new Error(`there is no prototype of '${name}'`);
    return found;
  };
  return {
    intrinsics,
    definitions,
    objectPrototype: prototype("Object"),
    functionPrototype: prototype("Function"),
    asyncFunctionPrototype: prototype("AsyncFunction"),
    arrayPrototype: prototype("Array"),
    stringPrototype: prototype("String"),
    numberPrototype: prototype("Number"),
    booleanPrototype: prototype("Boolean"),
    bigintPrototype: prototype("BigInt"),
    promisePrototype: prototype("Promise"),
    prototype,
    builtin(path) {
      const found = intrinsics.get(path);
      if (!(found instanceof VBuiltin)) throw new Error(`there is no built-in function '${path}'`);
      return found;
    },
  };
}
