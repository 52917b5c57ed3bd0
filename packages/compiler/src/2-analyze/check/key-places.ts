import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { Names } from "../resolution.ts";
import { constantValue } from "./constant-value.ts";
import { type NameContext, sinkOf } from "./context.ts";
import { eachAction } from "./declarations.ts";
import { propertyOf, writtenOptions } from "./options.ts";
import { bare, isFunction } from "./shape.ts";

/** A function that makes the key of a limit: where it stands in the module. */
export interface KeyPlace {
  readonly start: number;
  readonly end: number;
  /** As people write it: `concurrency.key of the action mail.send`. */
  readonly what: string;
}

const LIMITS = ["concurrency", "rate"] as const;

/** All key functions of the actions that a module declares; what is none that the compiler can see is reported. */
export function keyPlaces(module: Module, names: Names, diagnostics: DiagnosticList): KeyPlace[] {
  const place: NameContext = { module, names };
  const found = new Map<number, KeyPlace>();
  eachAction(module, names, (call, name) => {
    const options = writtenOptions(call);
    if (options === undefined || options.type === "SpreadElement") return;
    for (const limit of LIMITS) {
      const what = `${limit}.key of the action ${name}`;
      const key = keyOf(options, limit, place);
      if (key === null) continue;
      const isHere = key.module === module && isFunction(bare(key.node)) && !key.isMethod;
      if (isHere) found.set(key.node.start, { start: key.node.start, end: key.node.end, what });
      else if (!isText(key.node)) {
        const problem = `The option \`${what}\` is not a function that stands in this module, in its place`;
        const instead = "it there: `key: (input) => input.tenant`";
        const at = key.module === module ? key.node : options;
        report(sinkOf(module, diagnostics), "CAIRN5011", at, { problem, instead });
      }
    }
  });
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

/** Something else is refused when the action is declared. */
function isText(node: Node): boolean {
  return bare(node).type === "Literal";
}

function keyOf(
  options: Node,
  limit: string,
  place: NameContext,
): { readonly node: Node; readonly module: Module; readonly isMethod: boolean } | null {
  const { node: object, place: where } = constantValue(options, place);
  const limited = propertyOf(object, limit);
  if (limited === null) return null;
  const { node: inner, place: there } = constantValue(limited.value, where);
  const key = propertyOf(inner, "key");
  if (key === null) return null;
  return { node: key.value, module: there.module, isMethod: key.method || key.shorthand };
}
