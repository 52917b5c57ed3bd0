import type { Needs, Resolved } from "./dependency.ts";
import type { Isolation } from "./options.ts";
import type { InputOf, OptionalAtEnd, OutputOf, StandardSchema } from "./standard-schema.ts";

// How the types of an action follow from its options and its handler.

/** Any function, without a signature: parameters that have no type of their own take none from it. */
// oxlint-disable-next-line typescript/no-unsafe-function-type
export interface Fn extends Function {}

/** Says nothing of a function that returns what it has to, and asks the others for it. `never` allows for any parameters. */
export type Fitting<F extends Fn, Returns> = F extends (...args: never) => Returns
  ? unknown
  : (...args: never) => Returns;

export type ParametersOf<F extends Fn> = F extends (...args: infer Args extends unknown[]) => unknown ? Args : never;
export type ReturnOf<F extends Fn> = F extends (...args: never) => infer Returns ? Returns : never;

/** Of an action that needs nothing. */
export type Nothing = Readonly<Record<string, never>>;

/** Nothing is of this type: whoever gives a schema is told that the handler takes something else. */
export interface SchemaThatFitsTheHandler {
  readonly "~fits": never;
}

/** The last parameter of a handler whose action needs something. */
export type NeedsParameter<N extends Needs> = [N] extends [never] ? [] : [needs: Resolved<N>];

/** The type of a parameter that the handler leaves without one. */
export type Unannotated<N extends Needs> = [N] extends [never] ? unknown : Resolved<N>;

/**
 * The handler's parameters without the last one, which is for what it needs. Before it TypeScript allows for no optional
 * one, so those of a type `T | undefined` count as such.
 */
export type CallerArgs<Parameters extends unknown[], N extends Needs> = [N] extends [never]
  ? Parameters
  : Parameters extends [...infer Args, unknown]
    ? KnownAtEnd<Args>
    : [];

/** `unknown` has undefined in it, but nobody said so. */
type KnownAtEnd<Args extends unknown[]> = Args extends [...unknown[], infer Last]
  ? unknown extends Last
    ? Args
    : OptionalAtEnd<Args>
  : Args;

/** No handler is of this type: a last parameter for something else would get what is needed all the same. */
export type LastTakesNeeds<Parameters extends unknown[], N extends Needs> = [N] extends [never]
  ? unknown
  : Parameters extends [...unknown[], infer Last]
    ? Resolved<N> extends Last
      ? unknown
      : (...args: [...args: never[], needs: Resolved<N>]) => never
    : unknown;

/** A handler that is not async blocks everything else its worker does, unless it has a thread of its own. */
export type Returned<Isolate extends Isolation, Value = unknown> = Isolate extends "thread"
  ? Value | Promise<Value>
  : Promise<Value>;

export type NoSchema = StandardSchema<never, never>;

/** With an output schema the handler returns what goes into it, and the caller gets what comes out. */
export type HandlerResult<Output extends StandardSchema> = [Output] extends [NoSchema] ? unknown : InputOf<Output>;
export type CallerResult<Output extends StandardSchema, Returns> = [Output] extends [NoSchema]
  ? Awaited<Returns>
  : OutputOf<Output>;
