import type { ObjectExpression, ObjectProperty } from "oxc-parser";
import { erase } from "../../../1-parse/erase.ts";
import type { Register } from "../../code.ts";
import { isAnonymousFunction } from "../../expression/closure.ts";
import { staticKey } from "../../expression/property.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerObjectExpression(
  f: FunctionLowering,
  node: ObjectExpression,
  into: Register | undefined,
): Register {
  const { code } = f;
  const result = into ?? code.take();
  code.emit("Object", result);
  for (const property of node.properties) {
    const mark = code.mark();
    if (property.type === "SpreadElement") code.emit("CopyProperties", result, f.expression(property.argument));
    else lowerProperty(f, result, property);
    code.release(mark);
  }
  return result;
}

function lowerProperty(f: FunctionLowering, object: Register, property: ObjectProperty): void {
  const { code, outside } = f;
  if (property.kind !== "init") throw new Unlowerable(property, property.kind);
  const name = staticKey(property);
  if (name !== null) {
    const setsPrototype = name === "__proto__" && !property.computed && !property.shorthand && !property.method;
    if (setsPrototype) throw new Unlowerable(property, name);
    code.emit("Define", object, outside.tables.string(name), f.named(property.value, name));
    return;
  }
  const key = code.take();
  const computed = f.operand(property.key, []);
  code.emit("ToPropertyKey", key, computed);
  const value = f.expression(property.value);
  if (isAnonymousFunction(erase(property.value))) code.emit("NameFunction", value, key);
  code.emit("DefineComputed", object, key, value);
}
