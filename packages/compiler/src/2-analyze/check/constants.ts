import { builtins, isBuiltin } from "@cairnjs/ir";
import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { Resolution } from "../resolution.ts";
import { builtinPath } from "./builtin-path.ts";
import { parentOf, resolutionOf, textOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { checkDurableDeclaration } from "./declarations.ts";
import { isKnownGlobal } from "./globals.ts";
import { rootIdentifier } from "./names.ts";
import { foreignRoot, packageAdvice } from "./package-advice.ts";
import { bare, isFunction, staticMemberName } from "./shape.ts";

/** Initialisers of module-level constants: what the compiler can evaluate once and for all. */
export const constantVisitors: Visitors = {
  CallExpression(node, context) {
    if (context.evaluated === null) return undefined;
    return checkCall(node, context.evaluated, context);
  },
  NewExpression(node, context) {
    const name = context.evaluated;
    if (name === null) return undefined;
    const path = builtinPath(node.callee, context);
    if (path === "Date" && node.arguments.length === 0) {
      report(context, "CAIRN3004", node, { name, source: "new Date()" });
    } else if (path === "Promise") {
      report(context, "CAIRN3009", node, { name, kind: "a promise" });
    } else if (path === null && !isMissingGlobal(node.callee, context)) {
      const instead = packageAdvice(node.callee, name, context) ?? inAction(name);
      report(context, "CAIRN3007", node, { name, callee: textOf(node.callee, context), instead });
      return "skip";
    }
    return undefined;
  },
  AwaitExpression(node, context) {
    if (context.evaluated === null) return undefined;
    report(context, "CAIRN3008", node, { name: context.evaluated, kind: "`await`" });
    return "skip";
  },
  AssignmentExpression: (node, context) => checkAssignment(node, node.left, context),
  UpdateExpression: (node, context) => checkAssignment(node, node.argument, context),
};

/** `new Intl.NumberFormat()`: there is more to say about the name than that it cannot be evaluated. */
function isMissingGlobal(callee: Node, context: CheckContext): boolean {
  const root = rootIdentifier(callee);
  const resolution = root === null ? null : resolutionOf(root, context);
  return resolution?.kind === "intrinsic" && !isKnownGlobal(resolution.path);
}

/** A function that a constant holds runs later, as a helper; one that is passed to a call runs at once. */
export function isStoredFunction(node: Node, context: CheckContext): boolean {
  if (context.evaluated === null || !isFunction(node)) return false;
  const parent = parentOf(node, context);
  return !(parent?.type === "CallExpression" || parent?.type === "NewExpression") || node === context.unit.node;
}

function checkCall(node: NodeOf<"CallExpression">, name: string, context: CheckContext): "skip" | void {
  const path = builtinPath(node.callee, context);
  if (path !== null) return checkBuiltinCall(node, path, name, context);
  const callee = bare(node.callee);
  const resolution = resolutionOf(callee, context);
  if (resolution?.kind === "local") return undefined;
  if (isDeclarer(resolution)) {
    checkDurableDeclaration(node, context.module, context);
    return undefined;
  }
  if (resolution === null && isBuiltinMethod(callee)) {
    checkArguments(node, name, context);
    if (makesIterator(callee) && isKept(node, context)) {
      report(context, "CAIRN3009", node, { name, kind: "an iterator" });
    }
    return undefined;
  }
  const called = isFunction(callee) ? "a function" : textOf(callee, context);
  report(context, "CAIRN3006", node, { name, callee: called, instead: insteadOf(callee, called, name, context) });
  return "skip";
}

/** What is imported from a package cannot be called in the body either. */
function insteadOf(callee: Node, called: string, name: string, context: CheckContext): string {
  const isForeign = foreignRoot(callee, context) !== null;
  const use = isForeign ? `use ${name} in actions only` : `call ${called} inside the body`;
  return packageAdvice(callee, name, context) ?? inGeneral(use);
}

function inAction(name: string): string {
  const example = `\`action("name", async (…) => ${name}.…)\``;
  return `use ${name} in an action, which is ordinary Node.js code: ${example}; write plain data as a literal`;
}

function inGeneral(use: string): string {
  return `write the value out, ${use}, or pass the value as input`;
}

/** A table of tools: `{ search: action("search", …) }`. */
function isDeclarer(resolution: Resolution | null): boolean {
  if (resolution?.kind === "primitive") return resolution.name === "action" || resolution.name === "workflow";
  return resolution?.kind === "durable" && resolution.durable === "signal" && resolution.declaration === null;
}

const READ_WHEN_REACHED: ReadonlySet<string> = new Set(["Date.now", "Math.random", "crypto.randomUUID"]);

function checkBuiltinCall(
  node: NodeOf<"CallExpression">,
  path: string,
  name: string,
  context: CheckContext,
): "skip" | void {
  if (READ_WHEN_REACHED.has(path) || path === "Date") {
    report(context, "CAIRN3004", node, { name, source: `${path}()` });
  } else if (path.startsWith("Promise.")) {
    report(context, "CAIRN3009", node, { name, kind: "a promise" });
  } else if (path.startsWith("console.")) {
    report(context, "CAIRN3008", node, { name, kind: "a call of console" });
  } else if (!isBuiltin(path) && !path.includes(".")) {
    report(context, "CAIRN3006", node, { name, callee: path, instead: inGeneral(`use ${name} in actions only`) });
    return "skip";
  }
  checkArguments(node, name, context);
  return undefined;
}

/** `["a"].map(clean)` would call the helper. */
function checkArguments(node: NodeOf<"CallExpression">, name: string, context: CheckContext): void {
  for (const argument of node.arguments) {
    const resolution = resolutionOf(bare(argument), context);
    if (resolution?.kind !== "global" || resolution.global.what !== "helper") continue;
    const callee = textOf(argument, context);
    report(context, "CAIRN3006", argument, { name, callee, instead: inGeneral(`call ${callee} inside the body`) });
  }
}

const builtinMethods: ReadonlySet<string> = new Set(
  builtins.filter(({ path }) => path.includes(".prototype.")).map(({ path }) => path.slice(path.lastIndexOf(".") + 1)),
);

function isBuiltinMethod(callee: Node): boolean {
  const name = staticMemberName(callee);
  return name !== null && builtinMethods.has(name);
}

function makesIterator(callee: Node): boolean {
  return ["values", "keys", "entries", "matchAll"].includes(staticMemberName(callee) ?? "");
}

/** Whether the value becomes part of the constant, rather than being used up (`[...x.values()]`). */
function isKept(node: Node, context: CheckContext): boolean {
  if (node === bare(context.unit.node)) return true;
  const parent = parentOf(node, context);
  return parent?.type === "Property" || parent?.type === "ArrayExpression" || parent?.type === "VariableDeclarator";
}

function checkAssignment(node: Node, target: Node, context: CheckContext): "skip" | void {
  if (context.evaluated === null) return undefined;
  const root = rootIdentifier(target);
  if (root !== null && resolutionOf(root, context)?.kind === "local") return undefined;
  report(context, "CAIRN3008", node, { name: context.evaluated, kind: "an assignment" });
  return "skip";
}
