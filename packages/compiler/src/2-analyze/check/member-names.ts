import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { parentOf, type CheckContext, type Visitors } from "./context.ts";
import { staticKeyName, staticMemberName } from "./shape.ts";

/** Methods refused by their name, whatever object they are called on. */
export const memberNameVisitors: Visitors = {
  MemberExpression(node, context) {
    const name = staticMemberName(node);
    if (name !== null) checkName(name, node.property, context);
  },
  /** `const { localeCompare } = text` */
  Property(node, context) {
    if (parentOf(node, context)?.type !== "ObjectPattern") return;
    const name = staticKeyName(node);
    if (name !== null) checkName(name, node.key, context);
  },
};

const INSTEAD_OF_LOCALE: Readonly<Record<string, string>> = {
  toLocaleString: "toString()",
  toLocaleDateString: "toISOString()",
  toLocaleTimeString: "toISOString()",
  toLocaleUpperCase: "toUpperCase()",
  toLocaleLowerCase: "toLowerCase()",
};

const ACCESSOR_METHODS: ReadonlySet<string> = new Set([
  "__defineGetter__",
  "__defineSetter__",
  "__lookupGetter__",
  "__lookupSetter__",
]);

function checkName(name: string, at: Node, context: CheckContext): void {
  if (name === "localeCompare") report(context, "CAIRN2010", at);
  if (ACCESSOR_METHODS.has(name)) report(context, "CAIRN2017", at, { name });
  const instead = Object.hasOwn(INSTEAD_OF_LOCALE, name) ? INSTEAD_OF_LOCALE[name] : undefined;
  if (instead !== undefined) report(context, "CAIRN2009", at, { name, instead });
}
