import { type ActionContext, withinCall } from "./action-context.ts";
import type { ActionDefinition } from "./definition.ts";
import { planNeeds } from "./dependency.ts";
import { surrounded } from "./middleware.ts";
import { argumentsBySchema, outputBySchema } from "./schema-check.ts";
import { withNeeds } from "./with-needs.ts";

/** What there is to run; an in-memory run may have put another handler into the definition. */
export type Invocable = Pick<ActionDefinition, "name" | "handler" | "options" | "needsAt">;

/**
 * One attempt of an action, and the only way a handler is run: arguments are checked and coerced, what it needs is
 * made, the middleware and the handler run, the result is checked, what was made is disposed of.
 */
export function invoke(
  { name, handler, options, needsAt }: Invocable,
  args: readonly unknown[],
  context: ActionContext,
): Promise<unknown> {
  const { input, output, needs, use = [] } = options;
  const finish = async (given: readonly unknown[], handle: Handle): Promise<unknown> => {
    const result = await surrounded(use, { name, context }, handle)(given);
    return output === undefined ? result : outputBySchema(name, output, result);
  };
  // Without schemas and needs nothing is awaited first: the handler begins when the call is evaluated.
  return withinCall(context, async () => {
    const checked = input === undefined ? args : await argumentsBySchema(name, input, args);
    const plan = needs === undefined ? [] : planNeeds(name, needs);
    if (plan.length === 0) return finish(checked, async (given) => handler(...(given as never[])));
    return withNeeds(plan, context.log, (values) =>
      finish(checked, async (given) => handler(...(withLast(given, values, needsAt) as never[]))),
    );
  });
}

type Handle = (args: readonly unknown[]) => Promise<unknown>;

/**
 * What is needed is the last parameter. Arguments that were left out must not move it forward, and those that nobody asked
 * for (`to.map(send)` gives three) must not stand in its place.
 */
function withLast(args: readonly unknown[], last: unknown, index = args.length): readonly unknown[] {
  return [...Array.from({ length: index }, (_, position) => args[position]), last];
}
