import { builtinAt, isV8Global } from "@cairnjs/ir";
import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { CheckContext } from "./context.ts";
import { memberAround, parentOf, textOf } from "./context.ts";
import { staticMemberName } from "./shape.ts";

/**
 * A global name that workflows do not have. Each family has its own advice; the rest of what Node.js knows is
 * told apart from a mistyped name.
 */
export function reportGlobal(name: string, node: Node, context: CheckContext): void {
  const evaluated = context.evaluated;
  if (name === "process" && evaluated !== null) {
    report(context, "CAIRN3005", node, { name: evaluated, source: memberText(node, context) });
    return;
  }
  if (GLOBAL_OBJECTS.includes(name)) {
    reportGlobalObject(name, node, context);
    return;
  }
  const family = families.find(({ names }) => names.includes(name));
  if (family !== undefined) family.report(context, node, name);
  else if (isV8Global(name)) report(context, "CAIRN2002", node, { name });
  else report(context, "CAIRN2001", node, { name });
}

/** `globalThis.fetch` is no better than `fetch`, and there is more to say about that. */
function reportGlobalObject(name: string, node: Node, context: CheckContext): void {
  const around = memberAround(node, context);
  const member = around === null ? null : staticMemberName(around);
  const isMissing = member !== null && !isKnownGlobal(member) && !GLOBAL_OBJECTS.includes(member);
  const isNamed = isMissing && (isV8Global(member) || families.some(({ names }) => names.includes(member)));
  if (around !== null && isNamed) {
    reportGlobal(member, around, context);
    return;
  }
  const direct = member !== null && isKnownGlobal(member) ? `\`${member}\`` : "`Math`, `JSON`, `Date`";
  report(context, "CAIRN2023", node, { name, direct });
}

/** Whether the name is a built-in that programs may use as it is. */
export function isKnownGlobal(name: string): boolean {
  return builtinAt(name) !== undefined;
}

interface Family {
  readonly names: readonly string[];
  readonly report: (context: CheckContext, node: Node, name: string) => void;
}

const GLOBAL_OBJECTS = ["globalThis", "global", "window", "self"];

const TIMERS = "setTimeout setInterval clearTimeout clearInterval";
const IMMEDIATES = "queueMicrotask setImmediate clearImmediate";
const NETWORK = "fetch WebSocket EventSource XMLHttpRequest navigator";
const REQUESTS = "Request Response Headers FormData Blob File";
const WEAK = "WeakMap WeakSet WeakRef FinalizationRegistry";
const EVENTS = "AbortController AbortSignal Event EventTarget CustomEvent MessageChannel MessagePort BroadcastChannel";
const BINARY =
  "Int8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array " +
  "BigInt64Array BigUint64Array ArrayBuffer SharedArrayBuffer DataView Atomics";
const COMMONJS = "require module exports __dirname __filename";

const families: readonly Family[] = [
  family(TIMERS, (context, node, name) => report(context, "CAIRN2003", node, { name })),
  family(IMMEDIATES, (context, node, name) => report(context, "CAIRN2004", node, { name })),
  family("process", (context, node) => report(context, "CAIRN2005", node)),
  family(NETWORK, (context, node, name) => report(context, "CAIRN2006", node, { name, ...network })),
  family(REQUESTS, (context, node, name) => report(context, "CAIRN2006", node, { name, ...partOfRequest(name) })),
  family("Intl", (context, node) => report(context, "CAIRN2008", node)),
  family("Symbol", (context, node) => report(context, "CAIRN2011", node)),
  family("Proxy Reflect", (context, node, name) => report(context, "CAIRN2012", node, { name })),
  family(WEAK, (context, node, name) => report(context, "CAIRN2013", node, { name })),
  family("eval Function", (context, node, name) => report(context, "CAIRN2014", node, { name })),
  family(EVENTS, (context, node, name) => report(context, "CAIRN2015", node, { name })),
  family(BINARY, (context, node, name) => report(context, "CAIRN2016", node, { name })),
  family("performance", (context, node) => report(context, "CAIRN2025", node)),
  family("Buffer", (context, node) => report(context, "CAIRN2026", node)),
  family(COMMONJS, (context, node, name) => report(context, "CAIRN2027", node, { name })),
];

const network = {
  why: "network access can fail and must be retried and recorded",
  instead: 'the request in an action: `const load = action("page.load", async (url) => (await fetch(url)).text())`',
};

function partOfRequest(name: string): { readonly why: string; readonly instead: string } {
  const why = "it belongs to a request or its answer, and cannot be stored";
  if (name === "Response") {
    const instead = "it where the request is answered, and return plain data here: `return { status: 200, text }`";
    return { why, instead };
  }
  if (name === "Blob" || name === "File") return { why, instead: `a Uint8Array, or the ${name} in an action` };
  return { why, instead: `the ${name} in the action that sends the request, and pass plain data to the action` };
}

function family(names: string, reporter: Family["report"]): Family {
  return { names: names.split(" "), report: reporter };
}

/** `process.env.REGION`, not only `process`. */
function memberText(node: Node, context: CheckContext): string {
  let whole = node;
  for (let at = parentOf(node, context); at?.type === "MemberExpression" && at.object === whole;) {
    whole = at;
    at = parentOf(at, context);
  }
  return textOf(whole, context);
}
