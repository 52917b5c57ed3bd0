import { definitionOf } from "cairnjs";
import { runInMemory } from "cairnjs/testing/internal";

/** What a workflow gives natively and what its program gives. */
export async function both<Input>(workflow: (input: Input) => Promise<unknown>, input: Input): Promise<unknown[]> {
  const definition = definitionOf(workflow);
  if (definition?.kind !== "workflow" || definition.compiled === undefined) throw new Error("It was not compiled");
  const { program, steps } = definition.compiled;
  const { result, error } = await runInMemory({ program, input, actions: (name) => steps.get(name) });
  if (error !== undefined) throw error;
  return [await workflow(input), result];
}
