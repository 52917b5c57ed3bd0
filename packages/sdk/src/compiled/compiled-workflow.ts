import type { JsonSchema, NativeErrorClasses, Program } from "@cairnjs/ir";
import { type CompiledDefinition, definitionOf } from "../definition.ts";
import { frozenHandler } from "../frozen-captures.ts";
import type { EmbeddedModule, EmbeddedWorkflow, LiftedArrow } from "./embedded-module.ts";
import { modulesWithSteps } from "./registry.ts";

/** Transformed modules call it around `workflow(…)`; what it returns is the workflow itself. */
export function compiledWorkflow<W>(workflow: W, embedded: () => EmbeddedModule, index: number): W {
  const definition = definitionOf(workflow);
  // Something else under the name of `workflow`, a mock perhaps, is none of ours.
  if (definition?.kind === "workflow") {
    Object.defineProperty(definition, "compiled", { value: new EmbeddedDefinition(embedded, index), enumerable: true });
  }
  return workflow;
}

/** Transformed modules that have steps say so when they are evaluated. */
export function registerSteps(embedded: () => EmbeddedModule): void {
  modulesWithSteps().set(embedded().id, embedded);
}

class EmbeddedDefinition implements CompiledDefinition {
  readonly #embedded: () => EmbeddedModule;
  readonly #index: number;
  #program: Program | null = null;

  constructor(embedded: () => EmbeddedModule, index: number) {
    this.#embedded = embedded;
    this.#index = index;
  }

  get #workflow(): EmbeddedWorkflow {
    const found = this.#embedded().workflows[this.#index];
    if (found === undefined) throw new Error("A module and what was compiled from it do not belong together");
    return found;
  }

  get program(): Program {
    return (this.#program ??= JSON.parse(this.#workflow.program) as Program);
  }

  get hash(): string {
    return this.#workflow.hash;
  }

  get version(): string {
    return this.#workflow.version;
  }

  get inputSchema(): JsonSchema | null {
    return this.#workflow.inputSchema;
  }

  get input(): CompiledDefinition["input"] {
    return this.#workflow.input;
  }

  get errorClasses(): NativeErrorClasses {
    try {
      return new Map(Object.entries(this.#embedded().errors()));
    } catch (error) {
      // Asked for while the module is being evaluated: classes further down do not exist yet.
      if (!(error instanceof ReferenceError)) throw error;
      return new Map();
    }
  }

  get sources(): ReadonlyMap<string, string> {
    const { sources } = this.#embedded();
    return new Map(this.program.debug.files.map((file) => [file, sources[file] ?? ""]));
  }

  get module(): string {
    return this.#embedded().module;
  }

  /** Made anew each time: modules of helpers may have been loaded in between. */
  get steps(): ReadonlyMap<string, LiftedArrow> {
    const steps = new Map<string, LiftedArrow>();
    const { modules } = this.#workflow;
    for (const { action, file, start, end } of this.program.steps) {
      const other = modules[file];
      const embedded = other === undefined ? this.#embedded : modulesWithSteps().get(other);
      const arrow = embedded === undefined ? undefined : arrowAt(embedded(), `${start}:${end}`);
      if (arrow !== undefined) steps.set(action, frozenHandler(arrow));
    }
    return steps;
  }
}

function arrowAt({ places, lifted }: EmbeddedModule, place: string): LiftedArrow | undefined {
  const index = places.indexOf(place);
  return index === -1 ? undefined : lifted(index);
}
