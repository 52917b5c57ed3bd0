import { encodeNative } from "@cairnjs/ir";
import { mergeOptions, type Outcome, perform } from "../attempts.ts";
import { decodeCopy } from "../copy.ts";
import type { ActionDefinition, Handler } from "../definition.ts";
import { NoHandlerRegistered, StepChanged } from "../errors.ts";
import type { ActionOptions } from "../options.ts";
import type { CallStep, Later } from "./local-run.ts";
import type { MetErrors } from "./met-errors.ts";
import { Stuck } from "./stuck.ts";

/** How often an action is tried, and what becomes of it. */
export interface Tries {
  /** Makes a try. What it says is final, or something more happens at a later time. */
  make(step: CallStep, now: number): Promise<Outcome | Later>;
  /** A try has ended so, after all. */
  settle(step: CallStep, outcome: Outcome, now: number): Outcome | Later;
}

/** What runs an action, by its name; `workflow` is the name of the workflow that calls it. */
export type FindAction = (name: string, workflow: string) => Handler | ActionDefinition | undefined;

/** All tries at once, as natively: once unless the options ask for more, with timeouts in real time. */
export class TriesAtOnce implements Tries {
  readonly #actions: FindAction;
  readonly #errors: MetErrors;

  constructor(actions: FindAction, errors: MetErrors) {
    this.#actions = actions;
    this.#errors = errors;
  }

  async make({ effect, run }: CallStep): Promise<Outcome> {
    const { classes } = this.#errors;
    const found = this.#actions(effect.action, run.program.name);
    if (found === undefined) return missing({ effect, run }, classes);
    const { handler, options, ...about } = typeof found === "function" ? { handler: found, options: {} } : found;
    let stuck: Stuck | null = null;
    const watched = async (...args: never[]): Promise<unknown> => {
      try {
        return await handler(...args);
      } catch (error) {
        if (error instanceof Stuck) stuck = error;
        throw error;
      }
    };
    const merged = mergeOptions(options, calledOptions(effect));
    const task = { ...about, name: effect.action, handler: watched, options: merged };
    const outcome = await perform(task, { text: effect.args, classes });
    // No error of the action's: who runs it has found that it will never end.
    if (stuck !== null) throw stuck as Stuck;
    this.#errors.meet(outcome.copy);
    return outcome;
  }

  settle(_step: CallStep, outcome: Outcome): Outcome {
    return outcome;
  }
}

/** What the engine says when no worker has the action. */
function missing({ effect, run }: Pick<CallStep, "effect" | "run">, classes: MetErrors["classes"]): Outcome {
  const isStep = run.program.steps.some(({ action }) => action === effect.action);
  const error = isStep
    ? new StepChanged(`The step "${effect.action}" is missing from the code that was loaded`)
    : new NoHandlerRegistered(`There is no action "${effect.action}"`);
  return { kind: "error", copy: { text: encodeNative(error, { errorClasses: classes }), classes } };
}

/** Options that `.with()` gave the call. */
export function calledOptions({ options }: CallStep["effect"]): ActionOptions {
  return options === null ? {} : (decodeCopy({ text: options, classes: new Map() }) as ActionOptions);
}
