import type { Constant, FunctionCode, Prelude, Program } from "@cairnjs/ir";
import { VDurable, VSignal } from "../heap/durable.ts";
import { VBytes, VUrl, VUrlParams } from "../heap/data.ts";
import { CodeUnit, VClass, type VClosure } from "../heap/function.ts";
import { Kind, type Primitive, VArray, VObject, type Value } from "../heap/value.ts";
import { VMap, VSet } from "../heap/collection.ts";
import { putHidden } from "../heap/properties.ts";
import type { Realm } from "../realm/realm.ts";

/**
 * A program made ready to run: code as typed arrays, and the module-level constants evaluated once. Immutable
 * after loading, so that all machines of one program share it; snapshots name its objects by number.
 */
export interface Image {
  readonly program: Program;
  readonly hash: string;
  readonly realm: Realm;
  readonly units: readonly CodeUnit[];
  readonly durables: readonly (VDurable | VSignal)[];
  readonly intrinsics: readonly Value[];
  /** Filled by the initialiser. */
  readonly globals: Value[];
  readonly classesByName: ReadonlyMap<string, VClass>;
  /** Names of the actions that were arrows of steps. */
  readonly steps: ReadonlySet<string>;
  /** Every object reachable from the globals, in order of first visit. */
  readonly captured: readonly VObject[];
  readonly capturedNumbers: ReadonlyMap<VObject, number>;
}

export function codeUnits(
  functions: readonly FunctionCode[],
  constants: readonly Constant[],
  prelude: boolean,
): CodeUnit[] {
  const pool = constants.map(primitiveOf);
  return functions.map((meta, index) => new CodeUnit(index, prelude, meta, pool));
}

export function preludeUnits(prelude: Prelude): CodeUnit[] {
  return codeUnits(prelude.functions, prelude.constants, true);
}

function primitiveOf(constant: Constant): Primitive {
  if (typeof constant !== "object") return constant;
  return "bigint" in constant ? BigInt(constant.bigint) : Number(constant.number);
}

/** One object per reference; references to the same thing share `canonical`. */
export function durablesOf(program: Program, realm: Realm): (VDurable | VSignal)[] {
  const durableProto = realm.prototype("cairn.Durable");
  const signalProto = realm.prototype("cairn.Signal");
  const actions = new Map<string, VDurable>();
  const signals = new Map<string, VSignal>();
  return program.durables.map(({ kind, name, node }, index) => {
    if (kind === "signal" && name !== "") {
      const signal = new VSignal(signalProto, name, node, index, signals.get(name) ?? null);
      signals.set(name, signal.canonical);
      signal.captured = true;
      return signal;
    }
    const key = `${kind}:${name}`;
    const durable = new VDurable(durableProto, kind, name, node, index, null, actions.get(key) ?? null);
    actions.set(key, durable.canonical);
    putHidden(durable, "name", name);
    durable.captured = true;
    return durable;
  });
}

/** Marks everything reachable from the globals as captured, and numbers it. */
export function captureGlobals(globals: readonly Value[]): VObject[] {
  const found: VObject[] = [];
  const visit = (value: unknown): void => {
    if (!(value instanceof VObject) || value.kind === Kind.Builtin || value.kind === Kind.Intrinsic) return;
    if ((value instanceof VDurable || value instanceof VSignal) && value.index >= 0) return;
    if (seen.has(value)) return;
    seen.add(value);
    value.captured = true;
    found.push(value);
  };
  const seen = new Set<VObject>();
  globals.forEach(visit);
  for (let index = 0; index < found.length; index++) {
    const object = found[index]!;
    for (const key of object.keys()) visit(object.read(key));
    if (object instanceof VArray) object.items.forEach(visit);
    if (object instanceof VBytes) visit(object.buffer);
    if (object instanceof VUrl) visit(object.params);
    if (object instanceof VUrlParams) visit(object.url);
    if (object instanceof VMap || object instanceof VSet) {
      object.entries.forEach((key, value) => {
        visit(key);
        visit(value);
      });
    }
    if (object instanceof VClass) {
      visit(object.prototype);
      visit(object.parent);
    }
    if (object.kind === Kind.Closure) for (const cell of (object as VClosure).cells) visit(cell.value);
  }
  return found;
}
