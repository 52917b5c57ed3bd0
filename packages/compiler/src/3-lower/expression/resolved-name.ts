import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Global, Resolution } from "../../2-analyze/resolution.ts";
import { mayBeUninitialised } from "../../2-analyze/scope/readiness.ts";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";
import { literalOf, loadLiteral, type LiteralValue } from "./literal-value.ts";

/** The value of a name, or of a member of an import namespace or enum. */
export function lowerResolution(
  f: FunctionLowering,
  node: Node,
  resolution: Resolution,
  into: Register | undefined,
): Register {
  const { code, outside } = f;
  switch (resolution.kind) {
    case "local": {
      const reference = f.module.scopes.references.get(node);
      const checked = reference !== undefined && mayBeUninitialised(reference, resolution.binding);
      return f.variables.load(resolution.binding, checked, into);
    }
    case "value":
      return loadLiteral(f, resolution.value, into);
    case "global": {
      const literal = inlined(resolution.global);
      if (literal !== undefined) return loadLiteral(f, literal, into);
      const result = into ?? code.take();
      code.emit("Global", result, outside.slot(resolution.global));
      return result;
    }
    case "durable": {
      const result = into ?? code.take();
      code.emit("Durable", result, outside.durable(f, node));
      return result;
    }
    case "primitive":
      return intrinsic(f, `cairn.${resolution.name}`, into);
    case "intrinsic":
      return intrinsic(f, resolution.path, into);
    default:
      throw new Unlowerable(node);
  }
}

/** A constant whose initialiser is a literal costs no global. */
export function inlined({ declaration }: Global): LiteralValue | undefined {
  if (declaration.kind !== "constant" || declaration.pattern?.type !== "Identifier") return undefined;
  return literalOf(erase(declaration.init));
}

function intrinsic(f: FunctionLowering, path: string, into?: Register): Register {
  const { code, outside } = f;
  if (path === "NaN" || path === "Infinity") return loadLiteral(f, Number(path), into);
  const result = into ?? code.take();
  if (path === "undefined") code.emit("Undefined", result);
  else code.emit("Intrinsic", result, outside.tables.intrinsic(path));
  return result;
}
