import { type DeclarationPlace, declarationPlace, fileOf } from "./declaration-place.ts";
import type { ActionDefinition, Definition, WorkflowDefinition } from "./definition.ts";
import type { StandardSchema } from "./standard-schema.ts";

/**
 * What this process has declared, by kind and name: a program names its actions and children, and whoever runs it
 * here must find them, exported or not. Of two with one name the later one counts, since a module may be loaded
 * again, changed perhaps, or be part of two bundles. Two of different files that do different things are a mistake,
 * told when a run asks for the name: each alone works. The one registry of its kind, registered: a tool and a project may have a copy of this package each.
 */
interface Declared {
  readonly byName: Map<string, Definition>;
  /** Copies that `.with()` makes are no declarations. */
  readonly met: WeakMap<Definition, DeclarationPlace>;
  /** Files that have declared different things of one kind and name. */
  readonly clashes: Map<string, readonly [string, string]>;
  /** Of signals, by their names: a program knows a signal by nothing else. */
  readonly signalSchemas: Map<string, StandardSchema>;
}

const DECLARED = Symbol.for("cairnjs.declared");

export function declare(definition: Definition): void {
  const { byName, met, clashes } = declared();
  if (met.has(definition)) return;
  met.set(definition, declarationPlace());
  const key = `${definition.kind} ${definition.name}`;
  const files = clashOf(byName.get(key), definition);
  if (files !== null) clashes.set(key, files);
  byName.set(key, definition);
}

/** Undefined for copies of definitions. */
export function placeOf(definition: Definition): DeclarationPlace | undefined {
  return declared().met.get(definition);
}

/** Throws if the name stands for two different things of this process. */
export function refuseClash(kind: Definition["kind"], name: string): void {
  const files = declared().clashes.get(`${kind} ${name}`);
  if (files === undefined) return;
  throw new Error(
    `Two ${kind}s are called "${name}": one in ${files[0]}, another in ${files[1]}. ` +
      "A run knows them by their names. Rename one.",
  );
}

function clashOf(before: Definition | undefined, after: Definition): readonly [string, string] | null {
  if (before === undefined || textOf(before) === textOf(after)) return null;
  const { met } = declared();
  const [first, second] = [before, after].map((each) => {
    const place = met.get(each);
    return place === undefined ? null : fileOf(place);
  });
  return first && second && first !== second ? [first, second] : null;
}

export function textOf(definition: Definition): string {
  return Function.prototype.toString.call(definition.kind === "action" ? definition.handler : definition.body);
}

export function declaredAction(name: string): ActionDefinition | undefined {
  return declared().byName.get(`action ${name}`) as ActionDefinition | undefined;
}

export function declaredActions(): ActionDefinition[] {
  return [...declared().byName.values()].filter((definition) => definition.kind === "action");
}

export function declaredWorkflow(name: string): WorkflowDefinition | undefined {
  return declared().byName.get(`workflow ${name}`) as WorkflowDefinition | undefined;
}

export function declaredWorkflows(): WorkflowDefinition[] {
  return [...declared().byName.values()].filter((definition) => definition.kind === "workflow");
}

export function declareSignal(name: string, schema: StandardSchema): void {
  declared().signalSchemas.set(name, schema);
}

export function declaredSignalSchema(name: string): StandardSchema | undefined {
  return declared().signalSchemas.get(name);
}

function declared(): Declared {
  const place = globalThis as { [DECLARED]?: Declared };
  place[DECLARED] ??= { byName: new Map(), met: new WeakMap(), clashes: new Map(), signalSchemas: new Map() };
  return place[DECLARED];
}
