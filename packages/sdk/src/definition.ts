import type { JsonSchema, NativeErrorClasses, Program } from "@cairnjs/ir";
import { declare } from "./declared.ts";
import type { ActionOptions, LimitOptions, WorkflowOptions } from "./options.ts";
import { shown } from "./shown.ts";

/** Arguments come out of storage: nothing is known of them here. */
export type Handler = (...args: never[]) => Promise<unknown>;

export interface ActionDefinition {
  readonly kind: "action";
  readonly name: string;
  readonly options: ActionOptions & LimitOptions;
  readonly handler: Handler;
  /** Which parameter gets what the action needs; without it, the one behind all arguments. */
  readonly needsAt?: number;
}

export interface WorkflowDefinition {
  readonly kind: "workflow";
  readonly name: string;
  readonly options: WorkflowOptions;
  readonly body: Handler;
  /** What a hook (cairnjs/register, cairnjs/plugin, cairnjs/jest) has made of the source; without one, nothing. */
  readonly compiled?: CompiledDefinition;
}

export interface CompiledDefinition {
  /** Parsed when it is first asked for. */
  readonly program: Program;
  readonly hash: string;
  readonly version: string;
  /** Of the input in the tagged encoding, from the parameter's annotation; null if there is none. */
  readonly inputSchema: JsonSchema | null;
  readonly input: "none" | "optional" | "required";
  /** Lifted arrows by action name (`workflow/step`), also those of helper modules once these are loaded. */
  readonly steps: ReadonlyMap<string, (captures: unknown) => Promise<unknown>>;
  /** Error classes that the body may throw, by their names in the source, as far as its module has or imports them. */
  readonly errorClasses: NativeErrorClasses;
  /** The text of every file that the program has code from, by the names in its debug information. */
  readonly sources: ReadonlyMap<string, string>;
  /** URL or path of the module, for messages and for loading it in a thread. */
  readonly module: string;
}

export type Definition = ActionDefinition | WorkflowDefinition;

/** Registered: a tool and a project may have a copy of this package each. */
const DEFINITION = Symbol.for("cairnjs.definition");

/** For tools: what `action()` or `workflow()` was given, if the value came from one of them. */
export function definitionOf(value: unknown): Definition | undefined {
  if (typeof value !== "function") return undefined;
  return Object.getOwnPropertyDescriptor(value, DEFINITION)?.value as Definition | undefined;
}

/** Not enumerable: to people an action is a function and nothing else. */
export function define<F extends object>(callable: F, definition: Definition): F {
  Object.defineProperty(callable, DEFINITION, { value: definition });
  Object.defineProperty(callable, "name", { value: definition.name, configurable: true });
  declare(definition);
  return callable;
}

export function requireName(name: unknown, of: string): asserts name is string {
  if (typeof name === "string" && name !== "") return;
  const example = typeof name === "function" && name.name !== "" ? name.name : "name";
  throw new TypeError(`${of}() takes a name as its first argument: ${of}(${JSON.stringify(example)}, async (…) => …).`);
}

/** `[options, function]` of the two ways to declare something. */
export function optionsAndFunction(
  of: string,
  name: string,
  first: object,
  second: object | undefined,
): readonly [options: object, fn: object] {
  const [options, fn] = second === undefined ? [{}, first] : [first, second];
  const call = `${of}(${JSON.stringify(name)}`;
  if (typeof fn !== "function") {
    const swapped = typeof first === "function" && typeof second === "object";
    const problem = swapped
      ? `has its options behind the function. Write ${call}, { … }, async (…) => …).`
      : `takes an async function as its last argument, and got ${shown(fn)}.`;
    throw new TypeError(`${call}, …) ${problem}`);
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`The options of ${call}, …) are ${shown(options)}. Give an object, or leave them out.`);
  }
  return [options, fn];
}
