import type { TSTupleElement, TSType } from "oxc-parser";
import { resolved, simple, unionOf, type InputType } from "./input-type.ts";

/** `[string, number?, ...boolean[]]`, labels or not. */
export function readTuple(nodes: readonly TSTupleElement[], read: (node: TSType) => InputType): InputType {
  const elements: InputType[] = [];
  const rest: InputType[] = [];
  let required = 0;
  for (const node of nodes) {
    if (node.type === "TSRestType") {
      const spread = resolved(read(node.typeAnnotation));
      if (spread.kind === "array") rest.push(spread.element);
      else if (spread.kind === "tuple" && rest.length === 0 && required === elements.length) {
        required += spread.required;
        elements.push(...spread.elements);
        if (spread.rest !== null) rest.push(spread.rest);
      } else rest.push(simple.opaque);
      continue;
    }
    const isOptional = node.type === "TSOptionalType" || (node.type === "TSNamedTupleMember" && node.optional);
    const type = read(node.type === "TSOptionalType" ? node.typeAnnotation : node);
    // Behind `...rest` it stands at no fixed position: only that there is one more element is known.
    if (rest.length > 0) rest.push(type);
    else elements.push(isOptional ? unionOf([type, simple.undefined]) : type);
    if (!isOptional) required += 1;
  }
  return { kind: "tuple", elements, required, rest: rest.length === 0 ? null : unionOf(rest) };
}
