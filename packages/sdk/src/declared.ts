import type { ActionDefinition, Definition, WorkflowDefinition } from "./definition.ts";
import type { StandardSchema } from "./standard-schema.ts";

/**
 * What this process has declared, by kind and name: a program names its actions and children, and whoever runs it
 * here must find them, exported or not. Of two with one name the later one counts, since a module may be loaded
 * again. The one registry of its kind, registered: a tool and a project may have a copy of this package each.
 */
interface Declared {
  readonly byName: Map<string, Definition>;
  /** Copies that `.with()` makes are no declarations. */
  readonly met: WeakSet<Definition>;
  /** Of signals, by their names: a program knows a signal by nothing else. */
  readonly signalSchemas: Map<string, StandardSchema>;
}

const DECLARED = Symbol.for("cairnjs.declared");

export function declare(definition: Definition): void {
  const { byName, met } = declared();
  if (met.has(definition)) return;
  met.add(definition);
  byName.set(`${definition.kind} ${definition.name}`, definition);
}

export function declaredAction(name: string): ActionDefinition | undefined {
  return declared().byName.get(`action ${name}`) as ActionDefinition | undefined;
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
  place[DECLARED] ??= { byName: new Map(), met: new WeakSet(), signalSchemas: new Map() };
  return place[DECLARED];
}
