import type { Prelude } from "@cairnjs/ir";
import type { HostTable, Operation, OperationTable } from "../builtins/host-table.ts";
import { type CodeUnit, VClosure } from "../heap/function.ts";
import type { Value } from "../heap/value.ts";
import { preludeUnits } from "../machine/image.ts";
import { buildRealm } from "../realm/build.ts";
import type { Realm } from "../realm/realm.ts";

/** The prelude made ready to run, with the realm whose built-ins it carries out. */
export interface PreludeImage {
  readonly realm: Realm;
  readonly units: readonly CodeUnit[];
  readonly exports: Readonly<Record<string, number>>;
  readonly intrinsics: readonly Value[];
  readonly operations: readonly Operation[];
  /** Its functions as values, for calls among themselves. */
  readonly functions: readonly VClosure[];
}

export function loadPrelude(prelude: Prelude, hosts: HostTable, operations: OperationTable): PreludeImage {
  const units = preludeUnits(prelude);
  const exports = Object.assign(Object.create(null) as Record<string, number>, prelude.exports);
  const realm = buildRealm(hosts, (name) => units[exports[name] ?? -1] ?? null);
  const functions = units.map((unit) => {
    const closure = new VClosure(realm.functionPrototype, unit, []);
    closure.captured = true;
    return closure;
  });
  return {
    realm,
    units,
    exports,
    functions,
    intrinsics: prelude.intrinsics.map((path) => intrinsicValue(realm, path, hosts)),
    operations: prelude.hosts.map((name) => operationOf(operations, name)),
  };
}

/** A constant such as `NaN` is its value; everything else an object of the realm. */
export function intrinsicValue(realm: Realm, path: string, hosts: HostTable): Value {
  const object = realm.intrinsics.get(path);
  if (object !== undefined) return object;
  if (realm.definitions.get(path)?.kind === "constant") return hosts[path]?.value;
  throw new Error(`'${path}' is not in the list of built-ins`);
}

function operationOf(operations: OperationTable, name: string): Operation {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) throw new Error(`the prelude names an operation '${name}' that the machine lacks`);
  return operation;
}
