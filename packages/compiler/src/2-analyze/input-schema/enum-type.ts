import type { TSEnumDeclaration } from "oxc-parser";
import type { EnumMembers } from "../link/enum.ts";
import { simple, unionOf, type InputType } from "./input-type.ts";

/** `Status`: one of its values; any number for flags, which are combined with `|`. */
export function enumType(nodes: readonly TSEnumDeclaration[], members: EnumMembers): InputType {
  const values = [...members.values()];
  const known = values.filter((value) => value !== null);
  if (known.length < values.length || nodes.some(({ declare }) => declare)) return simple.opaque;
  const literals = [...new Set(known)].map((value): InputType => ({ kind: "literal", value }));
  return unionOf(isFlags(nodes, known) ? [simple.number, ...literals] : literals);
}

/** `Status.Open`. */
export function enumMemberType(members: EnumMembers, name: string): InputType {
  const value = members.get(name);
  return value === undefined || value === null ? simple.opaque : { kind: "literal", value };
}

/** Members made with `<<` or `|`, or powers of two that leave out the numbers between them. */
function isFlags(nodes: readonly TSEnumDeclaration[], values: readonly (string | number)[]): boolean {
  const isCombined = nodes.some(({ body }) =>
    body.members.some(
      ({ initializer }) =>
        initializer?.type === "BinaryExpression" && (initializer.operator === "<<" || initializer.operator === "|"),
    ),
  );
  const numbers = values.filter((value) => typeof value === "number");
  const isPowers = numbers.every((value) => Number.isInteger(value) && (value & (value - 1)) === 0);
  return isCombined || (isPowers && numbers.includes(4) && !numbers.includes(3));
}
