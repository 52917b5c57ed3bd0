import type { Node } from "oxc-parser";
import { simple, type InputType } from "./input-type.ts";

/** `"open"`, `5`, `-1`, `true`, `10n`, and a template without holes. */
export function literalType(node: Node): InputType {
  switch (node.type) {
    case "Literal": {
      if ("bigint" in node) return { kind: "literal", value: BigInt(node.bigint) };
      const { value } = node;
      const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      return isPlain ? { kind: "literal", value } : simple.opaque;
    }
    case "UnaryExpression": {
      const inner = literalType(node.argument);
      if (node.operator !== "-" || inner.kind !== "literal") return simple.opaque;
      const isNumeric = typeof inner.value === "number" || typeof inner.value === "bigint";
      return isNumeric ? { kind: "literal", value: -inner.value } : simple.opaque;
    }
    case "TemplateLiteral":
      return node.expressions.length === 0
        ? { kind: "literal", value: node.quasis[0]?.value.cooked ?? "" }
        : simple.string;
    default:
      return simple.opaque;
  }
}
