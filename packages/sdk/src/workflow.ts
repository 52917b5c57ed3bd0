import { randomUUID } from "node:crypto";
import { mergeOptions } from "./attempts.ts";
import { runCompensations } from "./compensate.ts";
import { copyOf } from "./copy.ts";
import { define, type Handler, optionsAndFunction, requireName, type WorkflowDefinition } from "./definition.ts";
import { durablePromise, refused } from "./durable-promise.ts";
import type { CallOptions, StartOptions, WorkflowOptions } from "./options.ts";
import { withinRun } from "./run-context.ts";

/** No input, one, or one that may be left out. */
type InputArgs = [input?: unknown];

/** Durable control flow. Called as a function it is a child of the run that calls it, or runs natively in a test. */
export interface Workflow<Args extends InputArgs, Result> {
  (...args: Args): Promise<Result>;
  /** Starts a run that lives on its own; resolves once it is durable. */
  start(...args: StartArgs<Args>): Promise<{ id: string }>;
  with(options: CallOptions): Workflow<Args, Result>;
}

type StartArgs<Args extends InputArgs> = Args extends []
  ? [input?: undefined, options?: StartOptions]
  : [...Args, options?: StartOptions];

export function workflow<Args extends InputArgs, Result>(
  name: string,
  body: (...args: Args) => Promise<Result>,
): Workflow<Args, Result>;
export function workflow<Args extends InputArgs, Result>(
  name: string,
  options: WorkflowOptions,
  body: (...args: Args) => Promise<Result>,
): Workflow<Args, Result>;
export function workflow(
  name: string,
  first: WorkflowOptions | Handler,
  second?: Handler,
): Workflow<InputArgs, unknown> {
  requireName(name, "workflow");
  const [options, body] = optionsAndFunction<WorkflowOptions, Handler>("workflow", first, second);
  return callable({ kind: "workflow", name, options, body }, {});
}

function callable<Args extends InputArgs, Result>(
  definition: WorkflowDefinition,
  options: CallOptions,
): Workflow<Args, Result> {
  const call = (...args: Args): Promise<Result> => {
    const input = copiedInput(args);
    return "error" in input ? refused(input.error) : durablePromise(run<Result>(definition, input.args));
  };
  const methods = {
    start: (...args: StartArgs<Args>): Promise<{ id: string }> => startNatively(definition, args[0]),
    with: (more: CallOptions) => callable<Args, Result>(definition, mergeOptions(options, more)),
  };
  const made = Object.assign(call, methods);
  for (const method of Object.keys(methods)) Object.defineProperty(made, method, { enumerable: false });
  return define(made, definition);
}

function copiedInput(args: readonly unknown[]): { readonly args: readonly unknown[] } | { readonly error: unknown } {
  try {
    return { args: args.length === 0 ? [] : [copyOf(args[0], "input")] };
  } catch (error) {
    return { error };
  }
}

/** Runs the body as it is. When it fails, what it registered to undo is undone; its error stays the original. */
async function run<Result>(
  definition: WorkflowDefinition,
  args: readonly unknown[],
  id = randomUUID(),
): Promise<Result> {
  return withinRun(id, definition, async (nativeRun) => {
    let thrown: unknown;
    try {
      return copyOf((await definition.body(...(args as never[]))) as Result, "result");
    } catch (error) {
      thrown = error;
    }
    await runCompensations(nativeRun);
    throw copyOf(thrown, "error");
  });
}

function startNatively(definition: WorkflowDefinition, input: unknown): Promise<{ id: string }> {
  const copied = copiedInput([input]);
  if ("error" in copied) return refused(copied.error);
  const id = randomUUID();
  // It lives on its own: its failure is nobody's error here.
  run(definition, copied.args, id).catch(() => {});
  return durablePromise(Promise.resolve({ id }));
}
