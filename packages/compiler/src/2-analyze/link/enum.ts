import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Global, Names } from "../resolution.ts";
import type { Module } from "./module.ts";
import { staticValue } from "./static-value.ts";

export type EnumMembers = ReadonlyMap<string, string | number | null>;

/** Names and values of an enum's members; null for one that only a run could tell. */
export function enumMembers(global: Global, names: Names): EnumMembers {
  const members = new Map<string, string | number | null>();
  if (global.declaration.kind !== "enum") return members;
  const own = new EnumNames(global, members, names);
  for (const node of global.declaration.nodes) {
    let next: number | null = 0;
    for (const member of node.body.members) {
      const value: string | number | null =
        member.initializer === null ? next : memberValue(member.initializer, global, own);
      members.set(memberName(member.id), value);
      next = typeof value === "number" ? value + 1 : null;
    }
  }
  return members;
}

/** tsc takes a cast for something that only a run can tell, and so do we: it decides how the enum looks. */
function memberValue(initializer: Node, global: Global, own: Names): string | number | null {
  return erase(initializer) === initializer ? staticValue(initializer, global.module, own) : null;
}

function memberName(id: Node): string {
  if (id.type === "Identifier") return id.name;
  if (id.type === "Literal") return String(id.value);
  return id.type === "TemplateLiteral" ? (id.quasis[0]?.value.cooked ?? "") : "";
}

/** In an initialiser, members declared before are names of their own: `All = Read | Write`. */
class EnumNames implements Names {
  readonly #global: Global;
  readonly #members: EnumMembers;
  readonly #names: Names;

  constructor(global: Global, members: EnumMembers, names: Names) {
    this.#global = global;
    this.#members = members;
    this.#names = names;
  }

  resolve(module: Module, node: Node): ReturnType<Names["resolve"]> {
    const own = this.#ownMember(module, node);
    const value = own === null ? undefined : this.#members.get(own);
    if (value != null) return { kind: "value", value };
    return own === null ? this.#names.resolve(module, node) : null;
  }

  #ownMember(module: Module, node: Node): string | null {
    if (node.type === "Identifier") return this.#members.has(node.name) ? node.name : null;
    if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") return null;
    const object = erase(node.object);
    if (object.type !== "Identifier") return null;
    return module.scopes.references.get(object)?.binding === this.#global.binding ? node.property.name : null;
  }

  isOpaque(module: Module, node: Node): boolean {
    return this.#names.isOpaque(module, node);
  }

  stepCaptures(module: Module, arrow: Node): ReturnType<Names["stepCaptures"]> {
    return this.#names.stepCaptures(module, arrow);
  }
}
