import { randomUUID } from "node:crypto";
import { requireOutsideOfActions } from "./action-context.ts";
import { mergeOptions } from "./attempts.ts";
import { checkOptions } from "./check-options.ts";
import { runCompensations } from "./compensate.ts";
import { copyOf, decodeCopy, type EncodedCopy, encodeCopy, encodeThrown } from "./copy.ts";
import { define, type Handler, optionsAndFunction, requireName, type WorkflowDefinition } from "./definition.ts";
import { durablePromise, refused } from "./durable-promise.ts";
import type { Fitting, Fn, ParametersOf, ReturnOf } from "./handler-types.ts";
import type { CallOptions, PlainWorkflowOptions, StartOptions, WorkflowOptions } from "./options.ts";
import { withinRun } from "./run-context.ts";
import { giveStartForm } from "./start-form.ts";
import { IN_MEMORY } from "./sealing.ts";
import type { OutputOf, SchemaInputs, StandardSchema } from "./standard-schema.ts";
import { calledEncoding, checkedEncoding } from "./workflow-input.ts";

/** No input, one, or one that may be left out. */
type InputArgs = [input?: unknown];

/** Durable control flow. Called as a function it is a child of the run that calls it, or runs natively in a test. */
export interface Workflow<Args extends InputArgs, Result> {
  (...args: Args): Promise<Result>;
  /** Starts a run that lives on its own; resolves once it is durable. */
  start(...args: StartArgs<Args>): Promise<{ id: string }>;
  with(options: CallOptions): Workflow<Args, Result>;
}

/** Says nothing of a body that takes one input at most and is async, and asks the others for it. */
type FittingBody<Body extends Fn> =
  ParametersOf<Body> extends InputArgs ? Fitting<Body, Promise<unknown>> : (input: never) => Promise<unknown>;

type WorkflowOf<Body extends Fn> =
  ParametersOf<Body> extends infer Args extends InputArgs ? Workflow<Args, Awaited<ReturnOf<Body>>> : never;

/** Nothing is of this type: whoever gives a schema is told that the body takes something else. */
interface SchemaThatFitsTheBody {
  readonly "~fits": never;
}

type StartArgs<Args extends InputArgs> = Args extends []
  ? [input?: undefined, options?: StartOptions]
  : [...Args, options?: StartOptions];

export function workflow<Body extends Fn>(name: string, body: Body & FittingBody<Body>): WorkflowOf<NoInfer<Body>>;
export function workflow<Input extends StandardSchema, Result>(
  name: string,
  options: WorkflowOptions<Input> & { readonly input: Input },
  body: (input: OutputOf<Input>) => Promise<Result>,
): Workflow<SchemaInputs<Input>, Result>;
export function workflow<Body extends Fn>(
  name: string,
  options: PlainWorkflowOptions & { readonly input?: SchemaThatFitsTheBody },
  body: Body & FittingBody<Body>,
): WorkflowOf<NoInfer<Body>>;
export function workflow(name: string, first: object, second?: Fn): unknown {
  requireName(name, "workflow");
  const [options, body] = optionsAndFunction("workflow", name, first, second) as readonly [WorkflowOptions, Handler];
  checkOptions("workflow", name, options);
  return callable({ kind: "workflow", name, options, body }, {});
}

function callable<Args extends InputArgs, Result>(
  definition: WorkflowDefinition,
  options: CallOptions,
): Workflow<Args, Result> {
  const call = (...args: Args): Promise<Result> => {
    requireOutsideOfActions(`The workflow "${definition.name}"`);
    return withCopy(args[0], async (copy) =>
      run<Result>(definition, decodeCopy(await calledEncoding(definition, copy), IN_MEMORY)),
    );
  };
  const methods = {
    start: (...[input, startOptions = {}]: StartArgs<Args>): Promise<{ id: string }> => {
      requireOutsideOfActions(`start() of the workflow "${definition.name}"`);
      checkOptions("start", definition.name, startOptions);
      return withCopy(input, async (copy) =>
        startNatively(definition, decodeCopy(await checkedEncoding(definition, copy), IN_MEMORY)),
      );
    },
    with: (more: CallOptions) => {
      checkOptions("with", definition.name, more);
      return callable<Args, Result>(definition, mergeOptions(options, more));
    },
  };
  const made = Object.assign(call, methods);
  for (const method of Object.keys(methods)) Object.defineProperty(made, method, { enumerable: false });
  giveStartForm(made, async (input) => {
    const { text } = await checkedEncoding(definition, input);
    return { type: definition.name, text, converted: text !== input.text };
  });
  return define(made, definition);
}

/** The input is copied when the call is evaluated, as on the engine. */
function withCopy<T>(input: unknown, work: (copy: EncodedCopy) => Promise<T>): Promise<T> {
  let copy: EncodedCopy;
  try {
    copy = encodeCopy(input, "input", IN_MEMORY);
  } catch (error) {
    return refused(error);
  }
  return durablePromise(work(copy));
}

/** Runs the body as it is. When it fails, what it registered to undo is undone; its error stays the original. */
async function run<Result>(definition: WorkflowDefinition, input: unknown, id = randomUUID()): Promise<Result> {
  return withinRun(id, definition, async (nativeRun) => {
    let thrown: unknown;
    try {
      return copyOf((await definition.body(...([input] as never[]))) as Result, "result", IN_MEMORY);
    } catch (error) {
      thrown = error;
    }
    await runCompensations(nativeRun);
    throw decodeCopy(encodeThrown(thrown, IN_MEMORY), IN_MEMORY);
  });
}

function startNatively(definition: WorkflowDefinition, input: unknown): { id: string } {
  const id = randomUUID();
  // It lives on its own: its failure is nobody's error here.
  run(definition, input, id).catch(() => {});
  return { id };
}
