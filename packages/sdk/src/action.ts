import { mergeOptions, perform } from "./attempts.ts";
import { decodeCopy, encodeCopy, type EncodedCopy } from "./copy.ts";
import { type ActionDefinition, define, type Handler, optionsAndFunction, requireName } from "./definition.ts";
import { durablePromise, refused } from "./durable-promise.ts";
import type { ActionOptions, CallOptions } from "./options.ts";

/** A function that a worker runs: at least once, with retry and timeout. */
export interface Action<Args extends unknown[], Result> {
  (...args: Args): Promise<Result>;
  /** The same action with other options; they win over those of the declaration. */
  with(options: CallOptions): Action<Args, Result>;
}

export function action<Args extends unknown[], Result>(
  name: string,
  handler: (...args: Args) => Promise<Result>,
): Action<Args, Result>;
export function action<Args extends unknown[], Result>(
  name: string,
  options: ActionOptions,
  handler: (...args: Args) => Promise<Result>,
): Action<Args, Result>;
export function action(name: string, first: ActionOptions | Handler, second?: Handler): Action<unknown[], unknown> {
  requireName(name, "action");
  const [options, handler] = optionsAndFunction<ActionOptions, Handler>("action", first, second);
  return callable({ kind: "action", name, options, handler }, options);
}

function callable<Args extends unknown[], Result>(
  definition: ActionDefinition,
  options: ActionOptions,
): Action<Args, Result> {
  const call = (...args: Args): Promise<Result> => callNatively<Result>({ ...definition, options }, args);
  const made = Object.assign(call, {
    with: (more: CallOptions) => callable<Args, Result>(definition, mergeOptions(options, more)),
  });
  Object.defineProperty(made, "with", { enumerable: false });
  return define(made, definition);
}

/** As on the engine: arguments are copied when the call is evaluated, the result is a fresh value. */
export function callNatively<Result>(definition: ActionDefinition, args: readonly unknown[]): Promise<Result> {
  let copy: EncodedCopy;
  try {
    copy = encodeCopy(args, "arguments");
  } catch (error) {
    return refused(error);
  }
  return durablePromise(resultOf<Result>(definition, copy));
}

async function resultOf<Result>(definition: ActionDefinition, args: EncodedCopy): Promise<Result> {
  const outcome = await perform(definition, args);
  const value = decodeCopy(outcome.copy);
  if (outcome.kind === "error") throw value;
  return value as Result;
}
