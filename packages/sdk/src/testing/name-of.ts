import { definitionOf } from "../definition.ts";

/** An action or a workflow, as tests hold it. */
export type Durable<Args extends unknown[] = never, Result = unknown> = (...args: Args) => Promise<Result>;

/** The name of an action or workflow, which may be given by its name alone. */
export function nameOf(durable: Durable | string): string {
  if (typeof durable === "string") return durable;
  const definition = definitionOf(durable);
  if (definition === undefined) throw new TypeError("This is neither an action nor a workflow, nor the name of one.");
  return definition.name;
}
