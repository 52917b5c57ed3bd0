import type { ActionContext } from "./action-context.ts";

/** One invocation, as middleware sees it: arguments are what the schemas made of them. */
export interface MiddlewareCall {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly context: ActionContext;
}

/** Goes on with the same arguments or with others; may be called again, and then runs the handler again. */
export type Next = (args?: readonly unknown[]) => Promise<unknown>;

export type Middleware = (call: MiddlewareCall, next: Next) => Promise<unknown>;

/** Something to be done around handlers: `use: [timing]` in the options of an action. */
export function middleware(around: Middleware): Middleware {
  if (typeof around !== "function") throw new TypeError("middleware() takes an async function of the call and next");
  return around;
}

/** The handler with the middleware around it, the first one outermost. */
export function surrounded(
  layers: readonly Middleware[],
  { name, context }: Omit<MiddlewareCall, "args">,
  handler: (args: readonly unknown[]) => Promise<unknown>,
): (args: readonly unknown[]) => Promise<unknown> {
  let inner = handler;
  for (const layer of [...layers].reverse()) {
    const next = inner;
    inner = async (args) => layer({ name, args, context }, (changed = args) => next(changed));
  }
  return inner;
}
