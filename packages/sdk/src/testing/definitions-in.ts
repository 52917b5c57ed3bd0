import type { NativeErrorClass } from "@cairnjs/ir";
import { textOf } from "../declared.ts";
import { type ActionDefinition, type Definition, definitionOf, type WorkflowDefinition } from "../definition.ts";

export interface Definitions {
  /** By name; of several with one name, the first met. */
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly errorClasses: ReadonlyMap<string, NativeErrorClass>;
  /** Names of several actions, or several workflows, that do different things. */
  readonly clashes: ReadonlySet<string>;
}

/** A namespace import of a big package must not be walked to its end. */
const OBJECTS_MAX = 100_000;

/** The actions, workflows and error classes among some values and in the tables that they hold. */
export function definitionsIn(values: Iterable<unknown>): Definitions {
  const actions = new Map<string, ActionDefinition>();
  const workflows = new Map<string, WorkflowDefinition>();
  const errorClasses = new Map<string, NativeErrorClass>();
  const clashes = new Set<string>();
  const put = <D extends Definition>(map: Map<string, D>, definition: D): void => {
    const known = map.get(definition.name);
    if (known === undefined) map.set(definition.name, definition);
    else if (known !== definition && textOf(known) !== textOf(definition)) clashes.add(definition.name);
  };
  const queue: unknown[] = [...values];
  const seen = new Set<unknown>();
  for (let index = 0; index < queue.length && seen.size < OBJECTS_MAX; index++) {
    const value = queue[index];
    if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value)) continue;
    seen.add(value);
    const definition = definitionOf(value);
    if (definition?.kind === "action") put(actions, definition);
    else if (definition?.kind === "workflow") put(workflows, definition);
    else if (isErrorClass(value) && !errorClasses.has(value.name)) errorClasses.set(value.name, value);
    else if (typeof value === "object") queue.push(...partsOf(value));
  }
  return { actions, workflows, errorClasses, clashes };
}

function isErrorClass(value: unknown): value is NativeErrorClass & { readonly name: string } {
  return typeof value === "function" && (value.prototype as unknown) instanceof Error;
}

/** What a table holds. Getters are not run. */
function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value.values()];
  if (value instanceof Set) return [...value];
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of modules the prototype is null.
  if (prototype !== null && prototype !== Object.prototype && !Array.isArray(value)) return [];
  return Object.values(Object.getOwnPropertyDescriptors(value)).map((descriptor) => descriptor.value as unknown);
}
