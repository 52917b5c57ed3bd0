import { definitionOf } from "cairnjs";
import { runInMemory } from "cairnjs/testing/internal";
import { charge, PaymentDeclined } from "./actions.ts";
import { quote } from "./child.ts";
import order from "./order.ts";

export interface Report {
  readonly native: unknown;
  readonly machine: unknown;
  readonly version: string;
  readonly files: readonly string[];
}

function compiledOf(workflow: unknown) {
  const definition = definitionOf(workflow);
  if (definition?.kind !== "workflow" || definition.compiled === undefined) throw new Error("It was not compiled");
  return definition.compiled;
}

function actionOf(value: unknown) {
  const definition = definitionOf(value);
  return definition?.kind === "action" ? definition : undefined;
}

/** One run natively, one of the compiled program. */
export async function report(items: string[]): Promise<Report> {
  const { program, version, steps } = compiledOf(order);
  const input = { name: "Ann", items };
  const { result: machine, error } = await runInMemory({
    program,
    input,
    children: new Map([["shop.quote.v1", compiledOf(quote).program]]),
    actions: (name) => steps.get(name) ?? actionOf(name === "shop.charge.v1" ? charge : undefined),
    errorClasses: new Map([["PaymentDeclined", PaymentDeclined]]),
  });
  if (error !== undefined) throw error;
  return { native: await order(input), machine, version, files: program.debug.files };
}
