import type { TSInterfaceDeclaration, TSSignature } from "oxc-parser";
import { staticKeyName } from "../check/shape.ts";
import { recordOf } from "./derived-types.ts";
import { descriptionBefore } from "./description.ts";
import { resolved, simple, type InputType, type ObjectType, type PropertyType } from "./input-type.ts";
import type { TypePlace, TypeReader } from "./read-type.ts";

/** All declarations of one interface, with what it extends. */
export function readInterface(
  nodes: readonly TSInterfaceDeclaration[],
  place: TypePlace,
  reader: TypeReader,
): InputType {
  const members = nodes.flatMap(({ body }) => body.body);
  const bases = nodes.flatMap((node) => node.extends);
  const own = readMembers(members, place, reader);
  if (own === null) return simple.opaque;
  if (members.length === 0 && bases.length === 0) return simple.unknown;
  let type: ObjectType = { kind: "object", properties: new Map(), index: null, isOpen: false };
  for (const { expression, typeArguments } of bases) {
    const base = resolved(reader.reference(expression, typeArguments, place));
    if (base.kind === "object") type = extended(base, type);
    else if (base.kind === "opaque") type = { ...type, isOpen: true };
    else return simple.opaque;
  }
  return extended(type, own);
}

function extended(base: ObjectType, own: ObjectType): ObjectType {
  return {
    kind: "object",
    properties: new Map([...base.properties, ...own.properties]),
    index: own.index ?? base.index,
    isOpen: own.isOpen || base.isOpen,
  };
}

/** null for the type of a function. */
export function readMembers(members: readonly TSSignature[], place: TypePlace, reader: TypeReader): ObjectType | null {
  const properties = new Map<string, PropertyType>();
  let index: InputType | null = null;
  let isOpen = false;
  for (const member of members) {
    switch (member.type) {
      case "TSCallSignatureDeclaration":
      case "TSConstructSignatureDeclaration":
        return null;
      case "TSIndexSignature": {
        const record = indexOf(member, place, reader);
        if (record === null) isOpen = true;
        else index = record;
        break;
      }
      default: {
        const name = keyOf(member);
        // Validators stumble over `__proto__`, and bodies cannot read it.
        if (name === null || name === "__proto__") isOpen = true;
        else properties.set(name, readProperty(member, place, reader));
      }
    }
  }
  return { kind: "object", properties, index, isOpen };
}

type NamedMember = Extract<TSSignature, { type: "TSPropertySignature" | "TSMethodSignature" }>;

function keyOf(member: NamedMember): string | null {
  const { key } = member;
  return key.type === "Literal" && typeof key.value === "number" ? String(key.value) : staticKeyName(member);
}

/** A method is never part of a stored value, but an instance of a class with a codec may have it. */
function readProperty(member: NamedMember, place: TypePlace, reader: TypeReader): PropertyType {
  const { optional: isOptional } = member;
  const annotation =
    member.type === "TSPropertySignature" ? member.typeAnnotation : member.kind === "get" ? member.returnType : null;
  const type = annotation === null ? simple.opaque : reader.read(annotation.typeAnnotation, place);
  return { type, isOptional, description: descriptionBefore(member, place.module.source) };
}

function indexOf(
  member: Extract<TSSignature, { type: "TSIndexSignature" }>,
  place: TypePlace,
  reader: TypeReader,
): InputType | null {
  const key = member.parameters[0]?.typeAnnotation.typeAnnotation;
  if (key === undefined) return null;
  const record = recordOf(reader.read(key, place), reader.read(member.typeAnnotation.typeAnnotation, place));
  return record.kind === "object" ? record.index : null;
}
