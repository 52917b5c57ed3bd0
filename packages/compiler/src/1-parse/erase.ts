import type { Expression, Node } from "oxc-parser";

/** The expression without the TypeScript syntax around it that only types see. */
export function erase<N extends Node>(node: N): Exclude<N, ErasedWrapper> {
  let inner: Node = node;
  while (isErasedWrapper(inner)) inner = inner.expression;
  return inner as Exclude<N, ErasedWrapper>;
}

type ErasedWrapper = Extract<
  Expression,
  {
    type:
      | "TSAsExpression"
      | "TSSatisfiesExpression"
      | "TSNonNullExpression"
      | "TSTypeAssertion"
      | "TSInstantiationExpression"
      | "ParenthesizedExpression";
  }
>;

export function isErasedWrapper(node: Node): node is ErasedWrapper {
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
    case "ParenthesizedExpression":
      return true;
    default:
      return false;
  }
}

/** Whether a node only exists for the type checker, or declares a value that exists elsewhere (`declare`). */
export function isTypeOnly(node: Node): boolean {
  switch (node.type) {
    case "TSEnumDeclaration":
    case "TSEnumBody":
    case "TSEnumMember":
    case "TSParameterProperty":
    case "TSImportEqualsDeclaration":
    case "TSExportAssignment":
    case "TSModuleDeclaration":
      return "declare" in node && node.declare;
    case "VariableDeclaration":
    case "ClassDeclaration":
    case "FunctionDeclaration":
      return node.declare === true;
    default:
      return node.type.startsWith("TS") && !isErasedWrapper(node);
  }
}
