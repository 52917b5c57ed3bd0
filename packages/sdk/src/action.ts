import { mergeOptions, perform } from "./attempts.ts";
import { checkOptions } from "./check-options.ts";
import { decodeCopy, encodeCopy, type EncodedCopy } from "./copy.ts";
import { type ActionDefinition, define, type Handler, optionsAndFunction, requireName } from "./definition.ts";
import { type Needs, planNeeds } from "./dependency.ts";
import { durablePromise, refused } from "./durable-promise.ts";
import type {
  CallerArgs,
  CallerResult,
  Fitting,
  Fn,
  HandlerResult,
  LastTakesNeeds,
  NeedsParameter,
  NoSchema,
  Nothing,
  ParametersOf,
  Returned,
  ReturnOf,
  SchemaThatFitsTheHandler,
  Unannotated,
} from "./handler-types.ts";
import type { ActionOptions, CallOptions, Isolation, LimitOptions, PlainActionOptions } from "./options.ts";
import { checkJobInput } from "./job-input.ts";
import { parameterList } from "./parameter-list.ts";
import { IN_MEMORY } from "./sealing.ts";
import { secretNames } from "./secret.ts";
import { schemaList } from "./schema-check.ts";
import { giveStartForm } from "./start-form.ts";
import type { ArgumentSchemas, SchemaInputs, SchemaOutputs, StandardSchema } from "./standard-schema.ts";

/** A function that a worker runs: at least once, with retry and timeout. */
export interface Action<Args extends unknown[], Result> {
  (...args: Args): Promise<Result>;
  /** The same action with other options; they win over those of the declaration. */
  with(options: CallOptions): Action<Args, Result>;
}

/**
 * A generic handler keeps its type parameters. (TypeScript carries them over to a plain function type alone, and an action
 * has `with` besides; so they are only there if the handler's own type is.)
 */
type ActionOf<Declared extends Fn> = ((...args: ParametersOf<Declared>) => ReturnOf<Declared>) extends Declared
  ? Action<ParametersOf<Declared>, Awaited<ReturnOf<Declared>>>
  : GenericAction<Declared>;

type GenericAction<Declared> = Declared & { with(options: CallOptions): GenericAction<Declared> };

// Where nothing is needed and there are no schemas, the handler alone says what it takes. `Fn` has no signature that parameters
// could take their types from, so one with a default value has the type of that.
export function action<Declared extends Fn>(
  name: string,
  handler: Declared & Fitting<Declared, Promise<unknown>>,
): ActionOf<NoInfer<Declared>>;
export function action<
  Input extends ArgumentSchemas,
  Returns extends Returned<Isolate, HandlerResult<Output>>,
  Output extends StandardSchema = NoSchema,
  N extends Needs = never,
  Isolate extends Isolation = "none",
>(
  name: string,
  options: ActionOptions<Input, Output, N, Isolate> & { readonly input: Input } & LimitOptions<
      SchemaInputs<NoInfer<Input>>
    >,
  handler: (...args: [...SchemaOutputs<Input>, ...NeedsParameter<N>]) => Returns,
): Action<SchemaInputs<Input>, CallerResult<Output, Returns>>;
export function action<
  Declared extends Fn,
  Output extends StandardSchema = NoSchema,
  Isolate extends Isolation = "none",
>(
  name: string,
  options: PlainActionOptions<Output, Nothing, Isolate> & LimitOptions<ParametersOf<NoInfer<Declared>>>,
  handler: Declared & Fitting<Declared, Returned<Isolate, HandlerResult<Output>>>,
): [Output] extends [NoSchema]
  ? ActionOf<NoInfer<Declared>>
  : Action<ParametersOf<Declared>, CallerResult<Output, ReturnOf<Declared>>>;
// A to L give what is needed, the one parameter that people leave without a type, its type: there is nothing to infer it
// from, so it gets the default. (A tuple with a variadic beginning was tried: TypeScript infers nothing of it as soon as one
// parameter has no type.)
// oxlint-disable typescript/no-unnecessary-type-parameters
export function action<
  Declared extends AnyHandler,
  Output extends StandardSchema = NoSchema,
  N extends Needs = never,
  Isolate extends Isolation = "none",
  A = Unannotated<N>,
  B = Unannotated<N>,
  C = Unannotated<N>,
  D = Unannotated<N>,
  E = Unannotated<N>,
  F = Unannotated<N>,
  G = Unannotated<N>,
  H = Unannotated<N>,
  I = Unannotated<N>,
  J = Unannotated<N>,
  K = Unannotated<N>,
  L = Unannotated<N>,
>(
  name: string,
  options: PlainActionOptions<Output, N, Isolate> & { readonly input?: SchemaThatFitsTheHandler } & LimitOptions<
      CallerArgs<Parameters<NoInfer<Declared>>, NoInfer<N>>
    >,
  handler: Declared &
    ((
      ...args: [a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L, ...more: never[]]
    ) => Returned<Isolate, HandlerResult<Output>>) &
    LastTakesNeeds<Parameters<Declared>, NoInfer<N>>,
): Action<CallerArgs<Parameters<Declared>, N>, CallerResult<Output, ReturnType<Declared>>>;
// oxlint-enable typescript/no-unnecessary-type-parameters
export function action(name: string, first: object, second?: Fn): unknown {
  requireName(name, "action");
  const given = optionsAndFunction("action", name, first, second);
  const [options, declared] = given as readonly [ActionDefinition["options"], AnyHandler];
  checkOptions("action", name, options);
  const handler = options.isolate === "thread" ? asynchronous(declared) : (declared as Handler);
  const definition: ActionDefinition = { kind: "action", name, options, handler };
  if (options.needs === undefined || planNeeds(name, options.needs).length === 0) return callable(definition, options);
  // That there are not too many is found out where it is declared.
  secretNames(name, options.needs);
  const needsAt = needsIndex(name, options, declared);
  return callable(needsAt === null ? definition : { ...definition, needsAt }, options);
}

/** What is needed comes behind what has a schema; else it is the last parameter. Null: behind all arguments. */
function needsIndex(name: string, { input }: ActionOptions, handler: AnyHandler): number | null {
  if (input !== undefined) return schemaList(input).length;
  const parameters = parameterList(handler);
  if (parameters === null || parameters.hasDefault) {
    const what = parameters === null ? "parameters that are hard to read" : "a parameter with a default value";
    throw new TypeError(
      `The handler of the action "${name}" has ${what}, and needs something as its last one: ` +
        "which one is last cannot be told then. Declare the parameter as `T | undefined`, which callers may leave out, " +
        'and give the value in the handler: `subject ?? "Hello"`.',
    );
  }
  return parameters.hasRest ? null : Math.max(0, handler.length - 1);
}

/** The types demand a promise of it, unless it is isolated. */
type AnyHandler = (...args: never[]) => unknown;

function asynchronous(handler: AnyHandler): Handler {
  return async (...args) => handler(...args);
}

function callable<Args extends unknown[], Result>(
  definition: ActionDefinition,
  options: ActionDefinition["options"],
): Action<Args, Result> {
  const call = (...args: Args): Promise<Result> => callNatively<Result>({ ...definition, options }, args);
  const made = Object.assign(call, {
    with: (more: CallOptions) => {
      checkOptions("with", definition.name, more);
      return callable<Args, Result>(definition, mergeOptions(options, more));
    },
  });
  Object.defineProperty(made, "with", { enumerable: false });
  giveStartForm(made, async (payload) => {
    await checkJobInput(definition, payload);
    return { type: definition.name, text: payload.text, converted: false };
  });
  return define(made, definition);
}

/** As on the engine: arguments are copied when the call is evaluated, the result is a fresh value. */
export function callNatively<Result>(definition: ActionDefinition, args: readonly unknown[]): Promise<Result> {
  let copy: EncodedCopy;
  try {
    copy = encodeCopy(args, "arguments", IN_MEMORY);
  } catch (error) {
    return refused(error);
  }
  return durablePromise(resultOf<Result>(definition, copy));
}

async function resultOf<Result>(definition: ActionDefinition, args: EncodedCopy): Promise<Result> {
  const outcome = await perform(definition, args);
  const value = decodeCopy(outcome.copy, IN_MEMORY);
  if (outcome.kind === "error") throw value;
  return value as Result;
}
