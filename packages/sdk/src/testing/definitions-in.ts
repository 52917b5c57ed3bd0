import type { NativeErrorClass } from "@cairnjs/ir";
import { type ActionDefinition, definitionOf, type WorkflowDefinition } from "../definition.ts";

export interface Definitions {
  /** By name; of several with one name, the first met. */
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly errorClasses: ReadonlyMap<string, NativeErrorClass>;
}

/** A namespace import of a big package must not be walked to its end. */
const OBJECTS_MAX = 100_000;

/** The actions, workflows and error classes among some values and in the tables that they hold. */
export function definitionsIn(values: Iterable<unknown>): Definitions {
  const actions = new Map<string, ActionDefinition>();
  const workflows = new Map<string, WorkflowDefinition>();
  const errorClasses = new Map<string, NativeErrorClass>();
  const queue: unknown[] = [...values];
  const seen = new Set<unknown>();
  for (let index = 0; index < queue.length && seen.size < OBJECTS_MAX; index++) {
    const value = queue[index];
    if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value)) continue;
    seen.add(value);
    const definition = definitionOf(value);
    if (definition?.kind === "action") putFirst(actions, definition.name, definition);
    else if (definition?.kind === "workflow") putFirst(workflows, definition.name, definition);
    else if (isErrorClass(value)) putFirst(errorClasses, value.name, value);
    else if (typeof value === "object") queue.push(...partsOf(value));
  }
  return { actions, workflows, errorClasses };
}

function putFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value);
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
