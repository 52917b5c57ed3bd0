import { report } from "../diagnostic.ts";
import { enumMembers } from "../link/enum.ts";
import type { CheckContext, NodeOf, Visitors } from "./context.ts";

/** Enums: inside a body there are none, and outside each member has a value that the compiler knows. */
export const enumVisitors: Visitors = {
  TSEnumDeclaration(node, context) {
    if (context.unit.node === node) checkMembers(node, context);
    else report(context, "CAIRN1022", node.id, { name: node.id.name });
    return "skip";
  },
};

function checkMembers(node: NodeOf<"TSEnumDeclaration">, context: CheckContext): void {
  const { global } = context.unit;
  if (global === null) return;
  const values = enumMembers(global, context.names);
  for (const member of node.body.members) {
    const { id } = member;
    const name =
      id.type === "Identifier" ? id.name : id.type === "Literal" ? id.value : (id.quasis[0]?.value.cooked ?? "");
    if (values.get(name) === null) report(context, "CAIRN2032", member, { name: `${global.name}.${name}` });
  }
}
