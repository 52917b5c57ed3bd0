import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isErasedWrapper, isTypeOnly } from "../../1-parse/erase.ts";
import { report, type DiagnosticSink } from "../diagnostic.ts";
import { parentOf, resolutionOf, textOf, type NameContext } from "./context.ts";
import { staticMemberName, type FunctionNode } from "./shape.ts";

type Place = NameContext & DiagnosticSink;

/** Code that runs on a worker, apart from its run: `step()`, or `the action charge`. */
export interface WorkerCode {
  readonly kind: "step" | "action";
  readonly what: string;
}

/**
 * The function of an action. Its code is its own affair, so only calls count: a workflow may be handed to a client
 * that starts it.
 */
export function checkHandler(handler: FunctionNode, name: string, place: Place): void {
  const code: WorkerCode = { kind: "action", what: `the action ${name}` };
  const visit = (node: Node): void => {
    if (isTypeOnly(node)) return;
    if (isUsedUp(node, place)) checkDurableUse(node, code, place);
    for (const child of children(node)) visit(child);
  };
  for (const child of children(handler)) visit(child);
}

/** Says of a name that it means something in bodies only, if it does. */
export function checkDurableUse(node: Node, code: WorkerCode, place: Place): void {
  const use = useOf(node, place);
  if (use === null) return;
  const name = textOf(node, place);
  report(place, "CAIRN3014", node, { name, what: code.what, why: whys[use], instead: insteadOf(use, name, code) });
}

type Use = "sleep" | "wait" | "record" | "undo" | "info" | "step";

function useOf(node: Node, place: Place): Use | null {
  const resolution = resolutionOf(node, place);
  if (resolution?.kind === "durable") {
    if (resolution.durable === "compensate") return "undo";
    if (resolution.durable === "sleep") return "sleep";
    return resolution.durable === "action" ? null : "wait";
  }
  if (resolution?.kind !== "primitive") return null;
  switch (resolution.name) {
    case "emit":
    case "progress":
      return "record";
    case "runInfo":
      return "info";
    case "step":
      return "step";
    default:
      return null;
  }
}

const CANNOT_WAIT = "which runs on a worker and cannot wait durably";

const whys: Readonly<Record<Use, string>> = {
  sleep: CANNOT_WAIT,
  wait: CANNOT_WAIT,
  record: "which runs on a worker, perhaps several times, and cannot write to the run",
  undo: "which runs on a worker, perhaps several times, and cannot register anything with the run",
  info: "which runs on a worker and does not see the run",
  step: "which is one step already",
};

function insteadOf(use: Use, name: string, { kind }: WorkerCode): string {
  switch (use) {
    case "sleep":
      return `call ${name} in the body, before or after the ${kind}; for a short pause use setTimeout of Node.js`;
    case "wait":
      return `use ${name} in the body, before or after the ${kind}`;
    case "record":
      return `return the value and call ${name} in the body, after the ${kind}`;
    case "undo":
      return `call ${name} in the body, before or after the ${kind}`;
    case "info":
      return kind === "step"
        ? "call it in the body and use its result here: `const { id } = runInfo()`"
        : "pass what the action needs of it as an argument; `currentCall()` of cairnjs has the `runId` and the `attempt`";
    case "step":
      return "write the code here as it is, or write two steps in the body, one after the other";
  }
}

const USING_METHODS: ReadonlySet<string> = new Set(["start", "wait", "with", "call", "apply"]);

/** Whether it is called, or one of its methods that does something. */
function isUsedUp(node: Node, place: Place): boolean {
  const { inner, parent } = around(node, place);
  if (parent?.type === "CallExpression") return parent.callee === inner;
  if (parent?.type !== "MemberExpression" || parent.object !== inner) return false;
  if (!USING_METHODS.has(staticMemberName(parent) ?? "")) return false;
  const outer = around(parent, place);
  return outer.parent?.type === "CallExpression" && outer.parent.callee === outer.inner;
}

/** The first parent that is no type syntax, and which of its children the node is in. */
function around(node: Node, place: Place): { readonly inner: Node; readonly parent: Node | undefined } {
  let inner = node;
  let parent = parentOf(node, place);
  while (parent !== undefined && (isErasedWrapper(parent) || parent.type === "ChainExpression")) {
    inner = parent;
    parent = parentOf(parent, place);
  }
  return { inner, parent };
}
