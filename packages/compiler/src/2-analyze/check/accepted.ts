import type { Node } from "oxc-parser";

/**
 * What the walk does with a node type.
 *   accepted  part of the language
 *   reported  a visitor has a diagnostic of its own for it; the walk goes on below
 *   closed    the same, and nothing below is looked at
 *   outside   not part of the language: the default diagnostic
 */
export type Disposition = "accepted" | "reported" | "closed" | "outside";

/** Types are erased before the walk asks, so their nodes have no line here. */
type ValueNodeType = Exclude<
  Node["type"],
  `TS${string}Keyword` | `TS${string}Type` | `TS${string}Signature` | `TS${string}TypeParameter` | TypeNodeType
>;

type TypeNodeType =
  | "TSTypeAnnotation"
  | "TSTypeOperator"
  | "TSNamedTupleMember"
  | "TSTypeReference"
  | "TSQualifiedName"
  | "TSTypeParameter"
  | "TSTypeParameterInstantiation"
  | "TSTypeParameterDeclaration"
  | "TSTypeAliasDeclaration"
  | "TSClassImplements"
  | "TSInterfaceDeclaration"
  | "TSInterfaceBody"
  | "TSCallSignatureDeclaration"
  | "TSConstructSignatureDeclaration"
  | "TSInterfaceHeritage"
  | "TSTypePredicate"
  | "TSTypeLiteral"
  | "TSTypeQuery"
  | "TSDeclareFunction"
  | "TSEmptyBodyFunctionExpression"
  | "TSAbstractMethodDefinition"
  | "TSAbstractPropertyDefinition"
  | "TSAbstractAccessorProperty";

/** Closed: a node type that a new parser brings does not compile here until someone decides about it. */
const dispositions: Readonly<Record<ValueNodeType, Disposition>> = {
  // Statements
  BlockStatement: "accepted",
  BreakStatement: "accepted",
  CatchClause: "accepted",
  ContinueStatement: "accepted",
  DebuggerStatement: "reported",
  DoWhileStatement: "accepted",
  EmptyStatement: "accepted",
  ExpressionStatement: "accepted",
  ForInStatement: "accepted",
  ForOfStatement: "accepted",
  ForStatement: "accepted",
  FunctionDeclaration: "accepted",
  IfStatement: "accepted",
  LabeledStatement: "accepted",
  ReturnStatement: "accepted",
  SwitchCase: "accepted",
  SwitchStatement: "accepted",
  ThrowStatement: "accepted",
  TryStatement: "accepted",
  VariableDeclaration: "accepted",
  VariableDeclarator: "accepted",
  WhileStatement: "accepted",
  WithStatement: "reported",
  TSEnumDeclaration: "accepted",
  TSModuleDeclaration: "closed",

  // Expressions
  ArrayExpression: "accepted",
  ArrowFunctionExpression: "accepted",
  AssignmentExpression: "accepted",
  AwaitExpression: "accepted",
  BinaryExpression: "accepted",
  CallExpression: "accepted",
  ChainExpression: "accepted",
  ConditionalExpression: "accepted",
  FunctionExpression: "accepted",
  Identifier: "accepted",
  ImportExpression: "reported",
  Literal: "accepted",
  LogicalExpression: "accepted",
  MemberExpression: "accepted",
  MetaProperty: "closed",
  NewExpression: "accepted",
  ObjectExpression: "accepted",
  ParenthesizedExpression: "accepted",
  Property: "accepted",
  SequenceExpression: "accepted",
  SpreadElement: "accepted",
  Super: "reported",
  TaggedTemplateExpression: "reported",
  TemplateElement: "accepted",
  TemplateLiteral: "accepted",
  ThisExpression: "accepted",
  UnaryExpression: "accepted",
  UpdateExpression: "accepted",
  YieldExpression: "reported",
  V8IntrinsicExpression: "outside",

  // Patterns
  ArrayPattern: "accepted",
  AssignmentPattern: "accepted",
  ObjectPattern: "accepted",
  RestElement: "accepted",

  // Erased around a value
  TSAsExpression: "accepted",
  TSInstantiationExpression: "accepted",
  TSNonNullExpression: "accepted",
  TSSatisfiesExpression: "accepted",
  TSTypeAssertion: "accepted",

  // Classes: error classes are units of their own; others are skipped by their visitor
  AccessorProperty: "closed",
  ClassBody: "accepted",
  ClassDeclaration: "accepted",
  ClassExpression: "accepted",
  Decorator: "closed",
  MethodDefinition: "accepted",
  PrivateIdentifier: "outside",
  PropertyDefinition: "accepted",
  StaticBlock: "closed",
  TSParameterProperty: "accepted",

  // JSX
  JSXAttribute: "closed",
  JSXClosingElement: "closed",
  JSXClosingFragment: "closed",
  JSXElement: "closed",
  JSXEmptyExpression: "closed",
  JSXExpressionContainer: "closed",
  JSXFragment: "closed",
  JSXIdentifier: "closed",
  JSXMemberExpression: "closed",
  JSXNamespacedName: "closed",
  JSXOpeningElement: "closed",
  JSXOpeningFragment: "closed",
  JSXSpreadAttribute: "closed",
  JSXSpreadChild: "closed",
  JSXText: "closed",

  // Enums are units too
  TSEnumBody: "accepted",
  TSEnumMember: "accepted",

  // Only at the top level of a module, which no unit contains
  ExportAllDeclaration: "outside",
  ExportDefaultDeclaration: "outside",
  ExportNamedDeclaration: "outside",
  ExportSpecifier: "outside",
  Hashbang: "outside",
  ImportAttribute: "outside",
  ImportDeclaration: "outside",
  ImportDefaultSpecifier: "outside",
  ImportNamespaceSpecifier: "outside",
  ImportSpecifier: "outside",
  Program: "outside",
  TSExportAssignment: "outside",
  TSExternalModuleReference: "outside",
  TSImportEqualsDeclaration: "outside",
  TSModuleBlock: "outside",
  TSNamespaceExportDeclaration: "outside",
};

const byType: ReadonlyMap<string, Disposition> = new Map(Object.entries(dispositions));

export function dispositionOf(node: Node): Disposition {
  return byType.get(node.type) ?? "outside";
}
