import type { Image } from "@cairnjs/vm";
import type { EncodedCopy } from "../copy.ts";
import type { ActionDefinition, CompiledDefinition, WorkflowDefinition } from "../definition.ts";
import { declaredAction, declaredWorkflow, refuseClash } from "../declared.ts";
import type { MetErrors } from "./met-errors.ts";
import { type AnyMock, isMock, mockByName } from "./mock.ts";
import { requireCompiled } from "../compiled/require-compiled.ts";
import { checkedText, imageOf } from "./run-in-memory.ts";

/** Mocks: made by `mock()`, or functions by the name of the action, child workflow or `workflow/step`. */
export type Mocks = readonly AnyMock[] | Readonly<Record<string, AnyMock | ((...args: never[]) => unknown)>>;

/** Who plays an action: the mock, and what runs without it. */
export interface Player {
  readonly mock: AnyMock | null;
  readonly real: ActionDefinition | null;
}

/** The test has to say who plays an action. */
export class NotMocked extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "NotMocked", configurable: true, writable: true });
  }
}

/** Who plays what: mocks first, then what this process has declared. */
export class Cast {
  readonly #main: WorkflowDefinition;
  readonly #mocks: ReadonlyMap<string, AnyMock>;
  readonly #strict: boolean;
  readonly #errors: MetErrors;
  readonly #images = new Map<CompiledDefinition, Image>();

  constructor(main: WorkflowDefinition, mocks: Mocks, strict: boolean, errors: MetErrors) {
    this.#main = main;
    this.#mocks = mocksByName(mocks);
    this.#strict = strict;
    this.#errors = errors;
  }

  /** The image of a child; "call": a mock plays it; null: there is no such workflow. */
  child(name: string): Image | "call" | null {
    if (this.#mocks.has(name)) return "call";
    const definition = this.#workflow(name);
    if (definition !== this.#main) refuseClash("workflow", name);
    return definition === undefined ? null : this.image(definition);
  }

  hasMock(name: string): boolean {
    return this.#mocks.has(name);
  }

  image(definition: WorkflowDefinition): Image {
    const compiled = requireCompiled(definition);
    const known = this.#images.get(compiled);
    if (known !== undefined) return known;
    const image = imageOf(compiled.program);
    this.#images.set(compiled, image);
    this.#errors.expect(compiled.errorClasses);
    return image;
  }

  /** What the body of a workflow gets for an input; throws or rejects if it is refused. */
  input(workflow: string, copy: EncodedCopy, isCalled = false): string | Promise<string> {
    const definition = this.#workflow(workflow);
    return definition === undefined ? copy.text : checkedText(definition, copy, isCalled);
  }

  player(name: string, workflow: string): Player {
    const mock = this.#mocks.get(name) ?? null;
    const real = declaredAction(name) ?? this.#step(name, workflow);
    if (mock === null) refuseClash("action", name);
    if (mock === null && (real === null || this.#strict)) throw notMocked(name, real !== null);
    return { mock, real };
  }

  /** An arrow that `step()` had. */
  #step(name: string, workflow: string): ActionDefinition | null {
    const handler = this.#workflow(workflow)?.compiled?.steps.get(name);
    return handler === undefined ? null : { kind: "action", name, options: {}, handler };
  }

  #workflow(name: string): WorkflowDefinition | undefined {
    return name === this.#main.name ? this.#main : declaredWorkflow(name);
  }
}

function mocksByName(mocks: Mocks): Map<string, AnyMock> {
  if (isList(mocks)) return new Map(mocks.map((each) => [each.name, each]));
  const entries = Object.entries(mocks);
  return new Map(entries.map(([name, given]) => [name, isMock(given) ? given : mockByName(name, given)]));
}

function isList(mocks: Mocks): mocks is readonly AnyMock[] {
  return Array.isArray(mocks);
}

function notMocked(name: string, isDeclared: boolean): NotMocked {
  const why = isDeclared
    ? `The action "${name}" has no mock, and the test is strict.`
    : `The action "${name}" has no mock, and no module that this test has loaded declares it.`;
  return new NotMocked(
    `${why} Give testRun() \`actions: [mock(theAction, async (…) => …)]\` or \`actions: { "${name}": async (…) => … }\`.`,
  );
}
