import type { Program } from "@cairnjs/ir";
import { declaredWorkflow } from "../declared.ts";
import type { WorkflowDefinition } from "../definition.ts";
import { nearestName } from "../did-you-mean.ts";
import { type Place, placeName } from "./place.ts";
import type { TestOptions } from "./test-options.ts";

const OPTIONS: Readonly<Record<keyof TestOptions | "input", true>> = {
  actions: true,
  strict: true,
  manual: true,
  signals: true,
  secrets: true,
  startAt: true,
  schedule: true,
  restoreEverywhere: true,
  failures: true,
  cancel: true,
  retry: true,
  patience: true,
  errors: true,
  limits: true,
  turnsMax: true,
  input: true,
};

/**
 * What there is in a workflow and its children to be named by a test. A name that nothing has would be passed over in
 * silence, and the test would prove something else: the real action runs, the failure never comes.
 */
export class KnownNames {
  readonly #workflow: string;
  /** Null when a workflow among them cannot be looked into. */
  readonly #names: Names | null;

  constructor(workflow: WorkflowDefinition) {
    this.#workflow = workflow.name;
    this.#names = namesIn(workflow);
  }

  requireOptions(options: TestOptions): void {
    requireKnown("option of testRun()", Object.keys(options), Object.keys(OPTIONS));
    const { actions = {}, signals = {}, failures = [], cancel } = options;
    const mocked = Array.isArray(actions) ? actions.map(({ name }: { name: string }) => name) : Object.keys(actions);
    if (this.#names !== null) requireKnown(`action, child or step of ${this.#workflow}`, mocked, this.#names.calls);
    for (const signal of Object.keys(signals)) this.requireSignal(signal);
    for (const { at } of failures) this.requirePlace(at);
    if (cancel !== undefined && typeof cancel.before !== "number") this.requirePlace(cancel.before);
  }

  requireSignal(name: string): void {
    const signals = this.#names?.signals ?? null;
    if (signals !== null) requireKnown(`signal of ${this.#workflow}`, [name], signals);
  }

  requirePlace(place: Place): void {
    if (this.#names === null) return;
    const { calls, nodes, signals } = this.#names;
    const name = placeName(place);
    requireKnown(`step of ${this.#workflow}`, [name], [...calls, ...nodes, ...(signals ?? [name])]);
  }
}

function requireKnown(what: string, given: readonly string[], known: readonly string[]): void {
  for (const name of given) {
    if (known.includes(name)) continue;
    const meant = nearestName(name, known);
    const hint = meant === undefined ? `There are: ${known.join(", ") || "none"}.` : `Did you mean "${meant}"?`;
    throw new RangeError(`There is no ${what} called "${name}". ${hint}`);
  }
}

interface Names {
  readonly calls: string[];
  readonly nodes: string[];
  /** Null when a name is only made in the body. */
  readonly signals: string[] | null;
}

/** Of the workflow and its children; null when one of them cannot be looked into. */
function namesIn(main: WorkflowDefinition): Names | null {
  const programs = new Map<string, Program>();
  const queue = [main];
  for (const definition of queue) {
    const program = definition.compiled?.program;
    if (program === undefined) return null;
    programs.set(definition.name, program);
    for (const { kind, name } of program.durables) {
      if (kind !== "workflow" || programs.has(name) || queue.some((each) => each.name === name)) continue;
      const child = declaredWorkflow(name);
      if (child === undefined) return null;
      queue.push(child);
    }
  }
  const all = [...programs.values()];
  const durables = all.flatMap((program) => program.durables);
  const signals = durables.filter(({ kind }) => kind === "signal").map(({ name }) => name);
  return {
    calls: [
      ...durables.filter(({ kind }) => kind === "action" || kind === "workflow").map(({ name }) => name),
      "cairn.sleep",
      "cairn.signal",
    ],
    nodes: all.flatMap((program) => program.nodes.map(({ id }) => id)),
    signals: signals.includes("") ? null : signals,
  };
}
