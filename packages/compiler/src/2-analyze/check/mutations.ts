import type { Node } from "oxc-parser";
import { isErasedWrapper } from "../../1-parse/erase.ts";
import { report, type DiagnosticSink } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { Global, Names, Unit } from "../resolution.ts";
import type { Reference } from "../scope/binding.ts";
import { builtinPath } from "./builtin-path.ts";
import { constantValue } from "./constant-value.ts";
import { parentOf, sinkOf, textOf, type NameContext } from "./context.ts";
import { isKnownGlobal } from "./globals.ts";
import { isWritten } from "./module-variables.ts";
import { bare, isFunction, staticMemberName } from "./shape.ts";

/**
 * A program holds what the initialiser of a constant gives. Code around the workflow that changes the value
 * afterwards (`handlers.a = …`, `Declined.prototype.name = …`, `cache.set(…)` in an action) would be missing in
 * it, so every such place in the modules that a workflow consists of is an error.
 */
export class MutationCheck {
  readonly #names: Names;
  readonly #diagnostics: DiagnosticList;
  /** Found once for a module, however many workflows it has. */
  readonly #changes = new Map<Module, readonly Change[]>();

  constructor(names: Names, diagnostics: DiagnosticList) {
    this.#names = names;
    this.#diagnostics = diagnostics;
  }

  check(units: readonly Unit[]): void {
    const used = new Set(units.flatMap(({ global }) => (global === null ? [] : [global])));
    for (const module of new Set(units.map((unit) => unit.module))) {
      const place = { module, names: this.#names, ...sinkOf(module, this.#diagnostics) };
      for (const change of this.#changesIn(place)) {
        if (change.reference.binding === null) reportIntrinsic(change, place);
        else reportGlobal(change, used, units, place);
      }
    }
  }

  #changesIn(place: Place): readonly Change[] {
    const known = this.#changes.get(place.module);
    if (known !== undefined) return known;
    const changes: Change[] = [];
    for (const reference of place.module.scopes.references.values()) {
      const changed = mayMatter(reference) ? changedBy(reference, place) : null;
      if (changed !== null) changes.push({ reference, changed });
    }
    this.#changes.set(place.module, changes);
    return changes;
  }
}

type Place = NameContext & DiagnosticSink;

interface Change {
  readonly reference: Reference;
  /** The target that is written, or the call that changes something. */
  readonly changed: Node;
}

function mayMatter({ binding, name }: Reference): boolean {
  return binding === null ? isKnownGlobal(name) : binding.scope.kind === "module";
}

/** Built-ins count where the module itself changes them while it is loaded: `Array.prototype.last = …`. */
function changedBy({ node, access, binding }: Reference, place: Place): Node | null {
  if (access === "init") return null;
  if (binding !== null && access !== "read") return node;
  const changed = changedAt(node, place);
  return changed !== null && binding === null && !isAtTopLevel(node, place.module) ? null : changed;
}

function reportGlobal(
  { reference: { node, access, name }, changed }: Change,
  used: ReadonlySet<Global>,
  units: readonly Unit[],
  place: Place,
): void {
  const resolution = place.names.resolve(place.module, node);
  if (resolution?.kind !== "global" || !used.has(resolution.global)) return;
  const isInside = units.some(
    ({ module, node: unit }) => module === place.module && changed.start >= unit.start && changed.end <= unit.end,
  );
  if (!isInside) report(place, "CAIRN3016", changed, { name });
  else if (access === "read") report(place, "CAIRN3003", changed, { name });
}

function reportIntrinsic({ changed }: Change, place: Place): void {
  const target = changed.type === "CallExpression" ? (changed.arguments[0] ?? changed) : changed;
  report(place, "CAIRN2024", changed, { path: textOf(target, place) });
}

function isAtTopLevel(node: Node, module: Module): boolean {
  for (let at = module.scopes.parents.get(node); at !== undefined; at = module.scopes.parents.get(at)) {
    if (isFunction(at)) return false;
  }
  return true;
}

/** The target that is written through this name, the call that changes what it holds, or null. */
export function changedAt(node: Node, place: Place): Node | null {
  let whole = node;
  for (;;) {
    const parent = parentOf(whole, place);
    if (parent === undefined) return null;
    if (isErasedWrapper(parent) || parent.type === "ChainExpression") {
      whole = parent;
    } else if (parent.type === "MemberExpression" && parent.object === whole) {
      if (isWritten(parent, place)) return parent;
      whole = parent;
    } else {
      return parent.type === "CallExpression" && changesValue(parent, whole, place) ? parent : null;
    }
  }
}

const CHANGING_METHODS: ReadonlySet<string> = new Set(
  (
    "push pop shift unshift splice sort reverse fill copyWithin set add delete clear append " +
    "setTime setFullYear setMonth setDate setHours setMinutes setSeconds setMilliseconds " +
    "setUTCFullYear setUTCMonth setUTCDate setUTCHours setUTCMinutes setUTCSeconds setUTCMilliseconds"
  ).split(" "),
);

const CHANGING_FUNCTIONS: ReadonlySet<string> = new Set([
  "Object.assign",
  "Object.defineProperty",
  "Object.defineProperties",
  "Object.setPrototypeOf",
]);

function changesValue(call: Extract<Node, { type: "CallExpression" }>, part: Node, place: Place): boolean {
  if (call.arguments[0] === part) return CHANGING_FUNCTIONS.has(builtinPath(call.callee, place) ?? "");
  if (call.callee !== part) return false;
  const callee = bare(part);
  if (!CHANGING_METHODS.has(staticMemberName(callee) ?? "")) return false;
  const isOwnProperty = constantValue(callee, place).node !== callee;
  return !isOwnProperty;
}
