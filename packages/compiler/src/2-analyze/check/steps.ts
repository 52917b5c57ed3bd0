import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isErasedWrapper, isTypeOnly } from "../../1-parse/erase.ts";
import { report } from "../diagnostic.ts";
import { staticString } from "../link/static-value.ts";
import type { Binding } from "../scope/binding.ts";
import { parentOf, resolutionOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { changedAt } from "./mutations.ts";
import { promiseSource } from "./promise-calls.ts";
import { bare, isFunction, realParameters } from "./shape.ts";
import { checkDurableUse } from "./worker-code.ts";

/** `step("name", async () => …)`: whether its arrow can be lifted, and what the arrow may do. */
export const stepVisitors: Visitors = {
  CallExpression(node, context) {
    if (!isStep(bare(node.callee), context)) return;
    const problem = shapeProblem(node, context);
    if (problem !== null) {
      report(context, "CAIRN5010", node, { problem });
      return;
    }
    const [name, arrow] = node.arguments;
    if (name !== undefined) checkName(name, context);
    if (arrow !== undefined) checkArrow(bare(arrow), context);
  },
  Identifier(node, context) {
    if (isStep(node, context) && !isCalled(node, context)) {
      report(context, "CAIRN5010", node, { problem: "step is used as a value, so there is no arrow to lift" });
    }
  },
};

export function isStep(node: Node, context: CheckContext): boolean {
  const resolution = resolutionOf(node, context);
  return resolution?.kind === "primitive" && resolution.name === "step";
}

function isCalled(node: Node, context: CheckContext): boolean {
  const parent = parentOf(node, context);
  if (parent !== undefined && isErasedWrapper(parent)) return isCalled(parent, context);
  return parent?.type === "CallExpression" && parent.callee === node;
}

function shapeProblem(node: NodeOf<"CallExpression">, context: CheckContext): string | null {
  const [name, arrow] = node.arguments;
  if (name === undefined || arrow === undefined) return "step() takes a name and an async arrow";
  if (node.arguments.length > 2) {
    return "step() takes a name and an async arrow and no options: what needs retry or timeout is an action";
  }
  const text = staticString(name, context.module, context.names);
  if (text === null) return "The name given to step() is not a string that is known when the file is compiled";
  if (text === "") return "The name given to step() is empty";
  const fn = bare(arrow);
  if (fn.type !== "ArrowFunctionExpression") return "The second argument of step() is not an arrow written in place";
  if (!fn.async) return "The arrow given to step() is not async";
  if (realParameters(fn).length > 0) return "The arrow given to step() takes parameters";
  return null;
}

function checkName(node: Node, context: CheckContext): void {
  const name = staticString(node, context.module, context.names) ?? "";
  const first = context.stepNames.get(name);
  if (first === undefined) context.stepNames.set(name, node);
  else if (first !== node) report(context, "CAIRN5007", node, { name });
}

function checkArrow(arrow: Node, context: CheckContext): void {
  for (const binding of context.names.stepCaptures(context.module, arrow)) {
    const uses = binding.references.filter(({ node }) => node.start >= arrow.start && node.end <= arrow.end);
    const kind = unstorableKind(binding, context);
    const [first] = uses;
    if (kind !== null && first !== undefined) report(context, "CAIRN3013", first.node, { name: binding.name, kind });
    for (const { node, access } of uses) {
      if (access === "write" || access === "readwrite") reportAssigned(node, binding.name, context);
      else reportChanged(node, binding.name, context);
    }
  }
  checkBelow(arrow, arrow, context);
}

function reportAssigned(node: Node, name: string, context: CheckContext): void {
  const instead = `return the new value from the step: \`${name} = await step("name", async () => …)\``;
  report(context, "CAIRN3012", node, { name, change: "assigned", instead });
}

function reportChanged(node: Node, name: string, context: CheckContext): void {
  const changed = changedAt(node, context);
  if (changed === null) return;
  const copy = `\`const copy = structuredClone(${name})\``;
  const instead = `return what the step finds out and change ${name} in the body, or change a copy: ${copy}`;
  report(context, "CAIRN3012", changed, { name, change: "changed", instead });
}

/** What a captured variable holds, where the source shows that it cannot be stored. */
function unstorableKind(binding: Binding, context: CheckContext): string | null {
  const { kind, declaration } = binding;
  if (kind === "function" || kind === "self") return "a function";
  if (kind === "class") return "a class";
  if (declaration.type !== "VariableDeclarator" || kind !== "const" || declaration.id.type !== "Identifier")
    return null;
  if (declaration.init === null) return null;
  const init = bare(declaration.init);
  if (isFunction(init)) return "a function";
  if (init.type === "Literal" && "regex" in init) return "a regular expression";
  if (promiseSource(init, context) !== null) return "a promise that is not awaited";
  const callee = init.type === "CallExpression" ? resolutionOf(bare(init.callee), context) : null;
  if (callee?.kind === "durable" && callee.durable === "signal") return "a signal";
  return resolutionOf(init, context)?.kind === "durable" ? "an action, workflow or signal" : null;
}

function checkBelow(node: Node, arrow: Node, context: CheckContext): void {
  for (const child of children(node)) {
    if (isTypeOnly(child)) continue;
    checkInside(child, arrow, context);
    checkBelow(child, arrow, context);
  }
}

function checkInside(node: Node, arrow: Node, context: CheckContext): void {
  if (isOfFunction(node)) {
    if (!comesFromOutside(node, arrow, context)) return;
    if (node.type === "ThisExpression") report(context, "CAIRN1007", node, thisOfStep);
    if (node.type === "Identifier") report(context, "CAIRN1008", node);
    if (node.type === "MetaProperty") report(context, "CAIRN1015", node);
    if (node.type === "Super") report(context, "CAIRN1021", node);
    return;
  }
  checkDurableUse(node, { kind: "step", what: "step()" }, context);
}

const thisOfStep = {
  where: "inside step(), whose arrow is lifted out of the method",
  instead: "read what the step needs in front of it, `const { price } = this`, and use that",
};

/** What an arrow takes from the function around it, which a lifted arrow no longer has. */
function isOfFunction(node: Node): boolean {
  if (node.type === "MetaProperty") return node.meta.name === "new";
  if (node.type === "Identifier") return node.name === "arguments";
  return node.type === "ThisExpression" || node.type === "Super";
}

function comesFromOutside(node: Node, arrow: Node, context: CheckContext): boolean {
  for (let at = parentOf(node, context); at !== undefined && at !== arrow; at = parentOf(at, context)) {
    if (at.type === "FunctionExpression" || at.type === "FunctionDeclaration" || at.type === "PropertyDefinition")
      return false;
  }
  return true;
}
