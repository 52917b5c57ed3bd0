import { report } from "../diagnostic.ts";
import { enumMembers } from "../link/enum.ts";
import type { Visitors } from "./context.ts";

/** Enums: inside a body there are none, and outside each member has a value that the compiler knows. */
export const enumVisitors: Visitors = {
  TSEnumDeclaration(node, context) {
    if (context.unit.node === node) return undefined;
    report(context, "CAIRN1022", node.id, { name: node.id.name });
    return "skip";
  },
  TSEnumMember(node, context) {
    const { global } = context.unit;
    if (global === null) return "skip";
    const { id } = node;
    const name =
      id.type === "Identifier" ? id.name : id.type === "Literal" ? id.value : (id.quasis[0]?.value.cooked ?? "");
    if (enumMembers(global, context.names).get(name) === null) {
      report(context, "CAIRN2032", node, { name: `${global.name}.${name}` });
    }
    return "skip";
  },
};
