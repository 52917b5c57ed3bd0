import type { Node } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import { Label, type Register } from "./code.ts";
import { getProperty, staticKey, type PropertyKey } from "./expression/property.ts";
import type { FunctionLowering } from "./function-lowering.ts";
import { destructuringText, iterableText, sourceText } from "./source-text.ts";
import { directRegister, prepareTarget, writeTarget } from "./target.ts";
import { Unlowerable } from "./unlowerable.ts";

type ObjectPattern = Extract<Node, { type: "ObjectPattern" }>;
type ArrayPattern = Extract<Node, { type: "ArrayPattern" }>;

/** Where the value of a pattern comes from, for the error when it has none. */
type PatternSource =
  /** The expression as V8 prints it. */
  | { readonly text: string; readonly iterable: string }
  /** A parameter: only the run can tell. */
  | "argument"
  /** Part of another pattern: the first property that is read makes the error. */
  | "nested";

/** `.for` and `.catch` are V8's own names for the values of loop heads and catch clauses. */
export function namedSource(text: string): PatternSource {
  return { text, iterable: text };
}

export function expressionSource(node: Node): PatternSource {
  return { text: sourceText(node), iterable: iterableText(node) };
}

/** Takes a value apart, in declarations and assignments alike. */
export function assignPattern(f: FunctionLowering, pattern: Node, value: Register, source: PatternSource): void {
  const bare = erase(pattern);
  if (bare.type === "ObjectPattern") assignObject(f, bare, value, source);
  else if (bare.type === "ArrayPattern") assignArray(f, bare, value, source);
  else writeTarget(f, prepareTarget(f, bare, []), value);
}

function assignObject(f: FunctionLowering, pattern: ObjectPattern, value: Register, source: PatternSource): void {
  const { code, outside } = f;
  if (source !== "nested" || !readsFirst(pattern)) {
    const text = destructuringText(pattern, typeof source === "string" ? null : source.text);
    code.text(outside.tables.string(text));
    code.emit("RequireObject", value);
  }
  const hasRest = pattern.properties.at(-1)?.type === "RestElement";
  const taken: PropertyKey[] = [];
  for (const property of pattern.properties) {
    if (property.type === "RestElement") {
      assignRest(f, property.argument, value, taken);
      continue;
    }
    const outer = code.mark();
    const name = staticKey(property);
    let key: PropertyKey;
    if (name === null) {
      const register = code.take();
      code.emit("ToPropertyKey", register, f.expression(property.key));
      key = { kind: "register", register };
    } else {
      key = { kind: "constant", constant: outside.tables.string(name) };
    }
    taken.push(key);
    const mark = code.mark();
    assignElement(f, property.value, (into) => {
      const result = into ?? code.take();
      getProperty(f, result, value, key);
      return result;
    });
    code.release(hasRest ? mark : outer);
  }
}

/** Whether reading a property is the first thing that the pattern does. */
function readsFirst({ properties }: ObjectPattern): boolean {
  const [first] = properties;
  return first !== undefined && first.type === "Property" && staticKey(first) !== null;
}

function assignRest(f: FunctionLowering, target: Node, value: Register, taken: readonly PropertyKey[]): void {
  const { code } = f;
  const prepared = prepareTarget(f, target, []);
  const keys = code.take();
  code.emit("Array", keys);
  for (const key of taken) {
    if (key.kind === "register") {
      code.emit("Push", keys, key.register);
      continue;
    }
    const name = code.take();
    code.emit("Const", name, key.constant);
    code.emit("Push", keys, name);
  }
  const result = directRegister(f, prepared, true) ?? code.take();
  code.emit("Rest", result, value, keys);
  if (f.variables.livingIn(result) === undefined) writeTarget(f, prepared, result);
}

function assignArray(f: FunctionLowering, pattern: ArrayPattern, value: Register, source: PatternSource): void {
  const { code, outside } = f;
  const iterator = code.take();
  if (typeof source !== "string") code.text(outside.tables.string(source.iterable));
  code.emit("Iterate", iterator, value);
  for (const element of pattern.elements) {
    const mark = code.mark();
    if (element === null) {
      code.emit("NextOrUndefined", code.take(), iterator);
    } else {
      const isRest = element.type === "RestElement";
      assignElement(f, isRest ? element.argument : element, (into) => {
        const result = into ?? code.take();
        code.emit(isRest ? "RestOf" : "NextOrUndefined", result, iterator);
        return result;
      });
    }
    code.release(mark);
  }
}

/** One element: where it goes is evaluated first, then its value is fetched, then its default. */
function assignElement(f: FunctionLowering, node: Node, fetch: (into?: Register) => Register): void {
  const { code } = f;
  const bare = erase(node);
  const fallback = bare.type === "AssignmentPattern" ? bare.right : null;
  const left = bare.type === "AssignmentPattern" ? erase(bare.left) : bare;
  if (left.type === "ObjectPattern" || left.type === "ArrayPattern") {
    const value = fetch(code.take());
    applyDefault(f, value, fallback, null);
    assignPattern(f, left, value, "nested");
    return;
  }
  if (left.type !== "Identifier" && left.type !== "MemberExpression") throw new Unlowerable(left);
  const target = prepareTarget(f, left, [fallback]);
  const direct = directRegister(f, target, fallback === null);
  const value = fetch(direct);
  const isPlainName = left.type === "Identifier" && (bare === left || bare.start === left.start);
  applyDefault(f, value, fallback, isPlainName ? left.name : null);
  if (value !== direct) writeTarget(f, target, value);
}

function applyDefault(f: FunctionLowering, value: Register, fallback: Node | null, name: string | null): void {
  if (fallback === null) return;
  const given = new Label();
  f.code.emit("JumpNotUndefined", value, given);
  if (name === null) f.expression(fallback, value);
  else f.named(fallback, name, value);
  f.code.bind(given);
}
