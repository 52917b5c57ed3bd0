import type { CallExpression, Node } from "oxc-parser";
import { report, type DiagnosticSink } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import { staticValue } from "../link/static-value.ts";
import { constantValue, type PlacedNode } from "./constant-value.ts";
import { resolutionOf, sinkOf, type CheckContext, type NameContext, type Visitors } from "./context.ts";
import { durationFor, isDuration } from "./durations.ts";
import { nearestName } from "./nearest-name.ts";
import { sourceOfCalling } from "./promise-calls.ts";
import { bare, staticKeyName, staticMemberName } from "./shape.ts";

/** `charge.with({ … })`, `child.start(input, { … })` and `approved.wait({ … })`: options of one call. */
export const optionVisitors: Visitors = {
  CallExpression(node, context) {
    const callee = bare(node.callee);
    const method = staticMemberName(callee);
    if (callee.type !== "MemberExpression") return;
    if (method === "wait") {
      if (sourceOfCalling(callee, context) === "durable") checkOptions(node.arguments[0], "wait()", context);
    } else if (method === "with" || method === "start") {
      if (sourceOfCalling(callee.object, context) !== "durable") return;
      checkOptions(node.arguments[method === "with" ? 0 : 1], `${method}()`, context);
      if (method === "with") checkId(callee.object, node.arguments[0], context);
    }
  },
};

/** Ids are part of the program: one that the compiler does not see where the call stands would be ignored. */
function checkId(action: Node, options: Node | undefined, context: CheckContext): void {
  if (options === undefined || options.type === "SpreadElement") return;
  const found = misplacedId(bare(action), bare(options), context);
  if (found === null) return;
  const problem = `The option \`id\` of with() ${found.why}, so it would be ignored`;
  const instead = 'the id as a string literal in the call: `await charge.with({ id: "second" })(…)`';
  report(context, "CAIRN5011", found.node, { problem, instead });
}

function misplacedId(
  action: Node,
  options: Node,
  context: CheckContext,
): { readonly node: Node; readonly why: string } | null {
  const property = propertyOf(options, "id");
  if (property === null) {
    const elsewhere = sourcesOf(options).find((each) => propertyOf(constantValue(each, context).node, "id") !== null);
    return elsewhere === undefined ? null : { node: elsewhere, why: "does not stand in the call" };
  }
  // What a constant holds is called by the constant's name.
  if (context.evaluated !== null) return { node: property, why: "stands in a module-level constant" };
  // The call of `tools.charge` or of a variable is the node of the action that it holds, wherever that was named.
  const isNamed = resolutionOf(action, context)?.kind === "durable";
  if (!isNamed) return { node: property, why: "belongs behind the action's own name" };
  if (property.computed) return { node: property, why: "has a computed key" };
  const isKnown = staticValue(property.value, context.module, context.names) !== null;
  return isKnown ? null : { node: property.value, why: "is not known when the file is compiled" };
}

/** What an object takes its other properties from: a constant that it is, or those that are spread into it. */
function sourcesOf(options: Node): Node[] {
  if (options.type !== "ObjectExpression") return [options];
  return options.properties.flatMap((each) => (each.type === "SpreadElement" ? [each.argument] : []));
}

export function propertyOf(object: Node, name: string): Extract<Node, { type: "Property" }> | null {
  if (object.type !== "ObjectExpression") return null;
  const found = object.properties.find((each) => each.type === "Property" && staticKeyName(each) === name);
  return found?.type === "Property" ? found : null;
}

/** The object between the name and the function; undefined without one. */
export function writtenOptions(call: CallExpression): Node | undefined {
  return call.arguments.length > 2 ? call.arguments[1] : undefined;
}

/** Options that stand in the source and cannot be right. What only the run can tell, the SDK checks. */
export function checkOptions(options: Node | undefined, of: string, place: NameContext & DiagnosticSink): void {
  if (options === undefined || options.type === "SpreadElement") return;
  checkObject(constantValue(options, place), "", of, place.diagnostics);
}

/** The value of an option as far as the source shows it: undefined without it, null when only the run can tell. */
export function optionValue(
  options: Node | undefined,
  name: string,
  place: NameContext,
): string | number | undefined | null {
  if (options === undefined) return undefined;
  const { node: object, place: where } = constantValue(options, place);
  if (object.type !== "ObjectExpression") return null;
  let value: string | number | undefined | null;
  for (const property of object.properties) {
    if (property.type !== "Property" || staticKeyName(property) === null) return null;
    if (staticKeyName(property) === name) value = staticValue(property.value, where.module, where.names);
  }
  return value;
}

/** False where the source shows that the option is not given. */
export function mayHaveOption(options: Node | undefined, name: string, place: NameContext): boolean {
  if (options === undefined) return false;
  const { node: object } = constantValue(options, place);
  if (object.type !== "ObjectExpression") return true;
  return object.properties.some((property) => {
    const key = property.type === "Property" ? staticKeyName(property) : null;
    return key === null || key === name;
  });
}

function checkObject({ node, place }: PlacedNode, prefix: string, of: string, diagnostics: DiagnosticList): void {
  if (node.type !== "ObjectExpression") return;
  const sink = sinkOf(place.module, diagnostics);
  for (const property of node.properties) {
    if (property.type !== "Property" || property.computed) continue;
    const name = staticKeyName(property);
    if (name === null) continue;
    const path = prefix + name;
    const known = prefix !== "" ? retryNames : of === "wait()" ? waitNames : optionNames;
    if (!known.includes(name)) {
      const meant = (prefix === "" ? otherNames[name] : undefined) ?? nearestName(name, known);
      if (meant === undefined) continue;
      const problem = `\`${path}\` is not an option of ${of}`;
      report(sink, "CAIRN5011", property.key, { problem, instead: `\`${meant}\`, if that is what you mean` });
    } else if (path === "retry") {
      checkObject(constantValue(property.value, place), "retry.", of, diagnostics);
    } else {
      checkValue(path, property.value, of, place, sink);
    }
  }
}

function checkValue(path: string, written: Node, of: string, place: NameContext, sink: DiagnosticSink): void {
  const value = staticValue(written, place.module, place.names);
  const rule = rules[path];
  if (value === null || rule === undefined || rule.isRight(value)) return;
  const problem = `The option \`${path}\` of ${of} is ${JSON.stringify(value)}, which it cannot be`;
  report(sink, "CAIRN5011", written, { problem, instead: rule.instead(value) });
}

interface Rule {
  readonly isRight: (value: string | number) => boolean;
  readonly instead: (value: string | number) => string;
}

const milliseconds: Rule = {
  isRight: (value) => typeof value === "number" && value >= 0,
  instead: () => "a number of milliseconds, 0 or more",
};

const rules: Readonly<Record<string, Rule>> = {
  "retry.attempts": {
    isRight: (value) => typeof value === "number" && value >= 1 && (Number.isInteger(value) || value === Infinity),
    instead: () => "a whole number of at least 1; with 1 it is tried once and not again",
  },
  "retry.baseMs": milliseconds,
  "retry.capMs": milliseconds,
  timeout: { isRight: isDuration, instead: durationFor },
  id: {
    isRight: (value) => typeof value === "string" && value !== "",
    instead: () => 'a name that says which call it is: `.with({ id: "second" })`',
  },
};

const optionNames = [
  "retry",
  "timeout",
  "nonRetryable",
  "isolate",
  "input",
  "output",
  "needs",
  "use",
  "concurrency",
  "rate",
  "id",
  "version",
  "tags",
];
const waitNames = ["timeout"];
const retryNames = ["attempts", "baseMs", "capMs"];

/** What other systems call them. */
const otherNames: Readonly<Record<string, string>> = {
  retries: "retry: { attempts: 3 }",
  attempts: "retry: { attempts: 3 }",
  maxAttempts: "retry: { attempts: 3 }",
  maxRetries: "retry: { attempts: 3 }",
  timeoutMs: "timeout",
  nonRetryableErrors: "nonRetryable",
  middleware: "use",
  dependencies: "needs",
};
