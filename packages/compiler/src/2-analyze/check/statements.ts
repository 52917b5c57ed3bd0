import { report } from "../diagnostic.ts";
import type { Visitors } from "./context.ts";

/** Statements that workflow bodies do not have. */
export const statementVisitors: Visitors = {
  DebuggerStatement(node, context) {
    report(context, "CAIRN1024", node);
  },
  WithStatement(node, context) {
    report(context, "CAIRN1012", node);
  },
  ForOfStatement(node, context) {
    if (node.await) report(context, "CAIRN1010", node);
  },
  VariableDeclaration(node, context) {
    if (node.kind === "using" || node.kind === "await using") report(context, "CAIRN1018", node, { kind: node.kind });
  },
  TSModuleDeclaration(node, context) {
    report(context, "CAIRN1023", node.id, { name: context.source.slice(node.id.start, node.id.end) });
  },
};
