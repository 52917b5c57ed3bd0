import type { Node, TSType, TSTypeParameterDeclaration, TSTypeParameterInstantiation } from "oxc-parser";
import type { Module } from "../link/module.ts";
import { builtInType } from "./built-in-types.ts";
import { accessOf, keysOf } from "./derived-types.ts";
import { descriptionBefore } from "./description.ts";
import { enumType, enumMemberType } from "./enum-type.ts";
import { simple, unionOf, type InputType, type NamedType } from "./input-type.ts";
import { intersection } from "./intersection.ts";
import { literalType } from "./literal-type.ts";
import { readInterface, readMembers } from "./object-type.ts";
import { readTuple } from "./tuple-type.ts";
import type { TypeDeclaration, TypeNames } from "./type-names.ts";

/** Where a type is written: the module, and what the parameters of the generic type around it stand for. */
export interface TypePlace {
  readonly module: Module;
  readonly parameters: ReadonlyMap<string, InputType>;
}

/** Definitions inside definitions: `type A<T> = Partial<A<T[]>>` would never end. */
const DEFINITIONS_OPEN_MAX = 50;

/** Reads types from their syntax, following names. What it does not understand is opaque. */
export class TypeReader {
  readonly #names: TypeNames;
  readonly #named = new Map<string, NamedType>();
  readonly #numbers = new Map<InputType, number>();
  #open = 0;

  constructor(names: TypeNames) {
    this.#names = names;
  }

  read(node: TSType, place: TypePlace): InputType {
    switch (node.type) {
      case "TSArrayType":
        return { kind: "array", element: this.read(node.elementType, place) };
      case "TSTupleType":
        return readTuple(node.elementTypes, (type) => this.read(type, place));
      case "TSUnionType":
        return unionOf(node.types.map((type) => this.read(type, place)));
      case "TSIntersectionType":
        return node.types.map((type) => this.read(type, place)).reduce((left, right) => intersection(left, right));
      case "TSTypeLiteral":
        // `{}` is any value but null and undefined, and people write it for "anything": `T & {}`.
        if (node.members.length === 0) return simple.unknown;
        return readMembers(node.members, place, this) ?? simple.opaque;
      case "TSLiteralType":
        return literalType(node.literal);
      case "TSTypeOperator":
        return this.#operator(node, place);
      case "TSIndexedAccessType":
        return accessOf(this.read(node.objectType, place), this.read(node.indexType, place));
      case "TSParenthesizedType":
        return this.read(node.typeAnnotation, place);
      case "TSNamedTupleMember":
        return this.read(node.elementType as TSType, place);
      case "TSTypeReference":
        return this.reference(node.typeName, node.typeArguments, place);
      case "TSImportType":
        return this.#importType(node, place);
      default:
        return keywords[node.type] ?? simple.opaque;
    }
  }

  /** `Order`, `types.Order`, `Status.Open`, `Page<Order>`; also what an interface extends, which is an expression. */
  reference(name: Node, args: TSTypeParameterInstantiation | null, place: TypePlace): InputType {
    const parameter = name.type === "Identifier" ? place.parameters.get(name.name) : undefined;
    if (parameter !== undefined) return parameter;
    const given = (args?.params ?? []).map((type) => this.read(type, place));
    const member = this.#enumMember(name, place.module);
    if (member !== null) return member;
    const declaration = this.#find(name, place.module);
    if (declaration !== null) return this.#declared(declaration, given);
    const type = name.type === "Identifier" ? builtInType(name.name, given) : null;
    return type ?? simple.opaque;
  }

  #operator(node: Extract<TSType, { type: "TSTypeOperator" }>, place: TypePlace): InputType {
    if (node.operator === "unique") return simple.opaque;
    const type = this.read(node.typeAnnotation, place);
    return node.operator === "keyof" ? keysOf(type) : type;
  }

  #importType(node: Extract<TSType, { type: "TSImportType" }>, place: TypePlace): InputType {
    const given = (node.typeArguments?.params ?? []).map((type) => this.read(type, place));
    const namespace = this.#names.imported(place.module, node.source.value);
    if (node.qualifier?.type !== "Identifier" || namespace.kind !== "namespace") return simple.opaque;
    return this.#declared(this.#names.memberOf(namespace.module, node.qualifier.name), given);
  }

  #find(name: Node, module: Module): TypeDeclaration | null {
    if (name.type === "Identifier") return this.#names.find(module, name.name);
    const parts = qualified(name);
    const holder = parts === null ? null : this.#find(parts.left, module);
    if (parts === null || holder?.kind !== "namespace") return { kind: "other" };
    return this.#names.memberOf(holder.module, parts.right);
  }

  #enumMember(name: Node, module: Module): InputType | null {
    const parts = qualified(name);
    const holder = parts === null ? null : this.#find(parts.left, module);
    return parts === null || holder?.kind !== "enum" ? null : enumMemberType(holder.members, parts.right);
  }

  #declared(declaration: TypeDeclaration, args: readonly InputType[]): InputType {
    switch (declaration.kind) {
      case "enum":
        return enumType(declaration.nodes, declaration.members);
      case "duration":
        return unionOf([simple.number, simple.string]);
      case "alias": {
        const { module, node } = declaration;
        return this.#name(node, node.typeParameters, module, args, (place) => this.read(node.typeAnnotation, place));
      }
      case "interface": {
        const { module, nodes } = declaration;
        const [first] = nodes;
        if (first === undefined) return simple.opaque;
        return this.#name(first, first.typeParameters, module, args, (place) => readInterface(nodes, place, this));
      }
      default:
        return simple.opaque;
    }
  }

  /** One object for a name and its arguments, so that a type that contains itself is recognised. */
  #name(
    node: { readonly id: { readonly name: string }; readonly start: number },
    declared: TSTypeParameterDeclaration | null,
    module: Module,
    args: readonly InputType[],
    read: (place: TypePlace) => InputType,
  ): NamedType {
    const { name } = node.id;
    const key = [module.id, name, ...args.map((type) => this.#numberOf(type))].join("\n");
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    const definition = this.#lazily(() => read({ module, parameters: this.#parameters(declared, args, module) }));
    const statement = module.scopes.parents.get(node as Node);
    const outer = statement === undefined || statement.type === "Program" ? node : statement;
    const named: NamedType = { kind: "named", name, description: descriptionBefore(outer, module.source), definition };
    this.#named.set(key, named);
    return named;
  }

  #parameters(
    declared: TSTypeParameterDeclaration | null,
    args: readonly InputType[],
    module: Module,
  ): Map<string, InputType> {
    const parameters = new Map<string, InputType>();
    for (const [index, { name, default: otherwise }] of (declared?.params ?? []).entries()) {
      const given = args[index] ?? (otherwise === null ? simple.opaque : this.read(otherwise, { module, parameters }));
      parameters.set(name.name, given);
    }
    return parameters;
  }

  #lazily(read: () => InputType): () => InputType {
    let state: "unread" | "open" | InputType = "unread";
    return () => {
      if (state === "open" || (state === "unread" && this.#open === DEFINITIONS_OPEN_MAX)) return simple.opaque;
      if (state !== "unread") return state;
      state = "open";
      this.#open += 1;
      state = read();
      this.#open -= 1;
      return state;
    };
  }

  #numberOf(type: InputType): number {
    const known = this.#numbers.get(type);
    if (known !== undefined) return known;
    this.#numbers.set(type, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

const keywords: Readonly<Partial<Record<Node["type"], InputType>>> = {
  TSAnyKeyword: simple.any,
  TSUnknownKeyword: simple.unknown,
  TSNeverKeyword: simple.never,
  TSStringKeyword: simple.string,
  TSTemplateLiteralType: simple.string,
  TSNumberKeyword: simple.number,
  TSBooleanKeyword: simple.boolean,
  TSBigIntKeyword: simple.bigint,
  TSNullKeyword: simple.null,
  TSUndefinedKeyword: simple.undefined,
  TSVoidKeyword: simple.undefined,
  TSObjectKeyword: simple.nonPrimitive,
};

/** `left.right`, as a type or as the expression behind `extends`. */
function qualified(name: Node): { readonly left: Node; readonly right: string } | null {
  if (name.type === "TSQualifiedName") return { left: name.left, right: name.right.name };
  const isMember = name.type === "MemberExpression" && !name.computed && name.property.type === "Identifier";
  return isMember ? { left: name.object, right: name.property.name } : null;
}
