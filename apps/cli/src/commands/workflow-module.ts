import type { CompiledWorkflow } from "@cairnjs/compiler";
import { encodeNative, type JsonSchema, NotStorable, type Program } from "@cairnjs/ir";
import { codecs, definitionOf, inputSchemaOf } from "cairnjs";
import { Stuck } from "cairnjs/testing";
import { type Definitions, definitionsIn, type FindAction } from "cairnjs/testing/internal";
import { CannotRun } from "../cannot-run.ts";
import type { CompiledFile } from "../compiling/project.ts";
import type { ModuleLoader, ModuleNamespace } from "../loading/module-loader.ts";
import { BINDINGS_EXPORT } from "../loading/module-bindings.ts";
import { beforeSilence } from "../loading/silence.ts";

type LiftedArrow = (captures: unknown) => Promise<unknown>;
type Handler = Extract<ReturnType<FindAction>, (...args: never[]) => unknown>;

/** The workflow that is asked for by name, or else the default export, or else the only one. */
export function chooseWorkflow(
  { file, workflows, byName }: CompiledFile,
  namespace: ModuleNamespace,
  asked: string | undefined,
): CompiledWorkflow {
  // A module that only passes workflows on declares none itself.
  const known = workflows.length > 0 ? workflows : [...byName.values()];
  const names = known.map(({ name }) => name).join(", ");
  if (asked !== undefined) {
    const found = known.find(({ name, exportName }) => name === asked || exportName === asked);
    if (found === undefined) throw new CannotRun(`${file} has no workflow "${asked}"; it has: ${names || "none"}`);
    return found;
  }
  const exported = definitionOf(namespace["default"]);
  const [first, second] = known;
  const found = exported?.kind === "workflow" ? byName.get(exported.name) : second === undefined ? first : undefined;
  if (found !== undefined) return found;
  if (first === undefined) throw new CannotRun(`${file} declares no workflow`);
  throw new CannotRun(`${file} has no workflow as its default export; choose one with --workflow: ${names}`);
}

/** A loaded module and those it runs code of: their actions, steps and error classes. */
export class WorkflowModule {
  readonly children: ReadonlyMap<string, Program>;
  readonly errorClasses: Definitions["errorClasses"];
  readonly #file: string;
  readonly #namespace: ModuleNamespace;
  readonly #actions: Definitions["actions"];
  readonly #clashes: Definitions["clashes"];
  readonly #workflows: Definitions["workflows"];
  readonly #steps: ReadonlyMap<string, LiftedArrow>;

  private constructor(
    compiled: CompiledFile,
    namespace: ModuleNamespace,
    { actions, errorClasses, clashes, workflows }: Definitions,
    steps: ReadonlyMap<string, LiftedArrow>,
  ) {
    this.children = new Map([...compiled.byName].map(([name, { program }]) => [name, program]));
    this.errorClasses = errorClasses;
    this.#file = compiled.file;
    this.#namespace = namespace;
    this.#actions = actions;
    this.#clashes = clashes;
    this.#workflows = workflows;
    this.#steps = steps;
  }

  static async load(compiled: CompiledFile, namespace: ModuleNamespace, loader: ModuleLoader): Promise<WorkflowModule> {
    const values: unknown[] = topLevelValues(namespace);
    for (const { program } of compiled.byName.values()) {
      for (const file of program.debug.files) values.push(...topLevelValues(await loader.import(file)));
    }
    const definitions = definitionsIn(values);
    const steps = [...definitions.workflows.values()].flatMap((workflow) => [...(workflow.compiled?.steps ?? [])]);
    return new WorkflowModule(compiled, namespace, definitions, new Map(steps));
  }

  /** Rather before the run than when it gets there. */
  requireActions({ program }: CompiledWorkflow): void {
    for (const { kind, name } of program.durables) {
      if (this.#clashes.has(name)) {
        throw new CannotRun(`${this.#file}: two different ${kind}s are called "${name}". Rename one.`);
      }
      if (kind !== "action" || this.#actions.has(name) || this.#steps.has(name)) continue;
      throw new CannotRun(`${this.#file}: the action "${name}" is not found among the modules that were loaded`);
    }
  }

  /** What may be given to a workflow; null if nothing is known. */
  inputSchema(workflow: string): JsonSchema | null {
    const definition = this.#workflows.get(workflow);
    return definition === undefined ? null : inputSchemaOf(definition);
  }

  /** `input` and `signals` that the module exports. */
  values(): { readonly input: unknown; readonly signals: Readonly<Record<string, readonly unknown[]>> } {
    const { input, signals } = this.#namespace;
    requireStorable(input, `${this.#file}: its export \`input\``);
    requireStorable(signals, `${this.#file}: its export \`signals\``);
    return {
      input,
      signals: signals === undefined ? {} : signalsFrom(signals, `${this.#file}: its export \`signals\``),
    };
  }

  readonly findAction: FindAction = (name) => {
    const arrow = this.#steps.get(name);
    if (arrow !== undefined) return watched(name, arrow);
    const definition = this.#actions.get(name);
    return definition === undefined ? undefined : { ...definition, handler: watched(name, definition.handler) };
  };
}

/** Bindings that are not exported count too: actions need not be. */
function topLevelValues(namespace: ModuleNamespace): unknown[] {
  const bindings = namespace[BINDINGS_EXPORT];
  return [namespace["default"], ...(typeof bindings === "function" ? (bindings() as unknown[]) : [])];
}

function watched(name: string, handler: Handler): Handler {
  return (...args) =>
    beforeSilence(handler(...args), () => new Stuck(`The action "${name}" waits for something that does not come`));
}

export function signalsFrom(value: unknown, where: string): Readonly<Record<string, readonly unknown[]>> {
  const isTable =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => Array.isArray(each));
  if (!isTable) throw new CannotRun(`${where} must be an object of arrays: { name: [values] }`);
  return value as Record<string, readonly unknown[]>;
}

function requireStorable(value: unknown, what: string): void {
  try {
    encodeNative(value, { root: "value", codecs: codecs() });
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    throw new CannotRun(`${what} cannot be stored: ${error.message}`, { cause: error });
  }
}
