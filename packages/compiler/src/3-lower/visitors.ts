import { lowerArrayExpression } from "./visitors/expression/array-expression.ts";
import { lowerArrowFunctionExpression } from "./visitors/expression/arrow-function-expression.ts";
import {
  lowerAssignmentExpression,
  lowerAssignmentExpressionEffect,
} from "./visitors/expression/assignment-expression.ts";
import { lowerAwaitExpression } from "./visitors/expression/await-expression.ts";
import { lowerBinaryExpression } from "./visitors/expression/binary-expression.ts";
import { lowerCallExpression } from "./visitors/expression/call-expression.ts";
import { lowerChainExpression } from "./visitors/expression/chain-expression.ts";
import {
  lowerConditionalExpression,
  lowerConditionalExpressionEffect,
} from "./visitors/expression/conditional-expression.ts";
import { lowerFunctionDeclaration as lowerDeclaredFunction } from "./visitors/expression/function-declaration.ts";
import { lowerFunctionExpression } from "./visitors/expression/function-expression.ts";
import { lowerIdentifier } from "./visitors/expression/identifier.ts";
import { lowerLiteral, lowerLiteralEffect } from "./visitors/expression/literal.ts";
import { lowerLogicalExpression, lowerLogicalExpressionEffect } from "./visitors/expression/logical-expression.ts";
import { lowerMemberExpression } from "./visitors/expression/member-expression.ts";
import { lowerNewExpression } from "./visitors/expression/new-expression.ts";
import { lowerObjectExpression } from "./visitors/expression/object-expression.ts";
import { lowerSequenceExpression, lowerSequenceExpressionEffect } from "./visitors/expression/sequence-expression.ts";
import { lowerTemplateLiteral } from "./visitors/expression/template-literal.ts";
import { lowerThisExpression } from "./visitors/expression/this-expression.ts";
import { lowerUnaryExpression } from "./visitors/expression/unary-expression.ts";
import { lowerUpdateExpression, lowerUpdateExpressionEffect } from "./visitors/expression/update-expression.ts";
import { lowerBlockStatement } from "./visitors/statement/block-statement.ts";
import { lowerBreakStatement } from "./visitors/statement/break-statement.ts";
import { lowerContinueStatement } from "./visitors/statement/continue-statement.ts";
import { lowerDoWhileStatement } from "./visitors/statement/do-while-statement.ts";
import { lowerEmptyStatement } from "./visitors/statement/empty-statement.ts";
import { lowerExpressionStatement } from "./visitors/statement/expression-statement.ts";
import { lowerForInStatement } from "./visitors/statement/for-in-statement.ts";
import { lowerForOfStatement } from "./visitors/statement/for-of-statement.ts";
import { lowerForStatement } from "./visitors/statement/for-statement.ts";
import { lowerFunctionDeclaration } from "./visitors/statement/function-declaration.ts";
import { lowerIfStatement } from "./visitors/statement/if-statement.ts";
import { lowerLabeledStatement } from "./visitors/statement/labeled-statement.ts";
import { lowerReturnStatement } from "./visitors/statement/return-statement.ts";
import { lowerSwitchStatement } from "./visitors/statement/switch-statement.ts";
import { lowerThrowStatement } from "./visitors/statement/throw-statement.ts";
import { lowerTryStatement } from "./visitors/statement/try-statement.ts";
import { lowerTSDeclareFunction } from "./visitors/statement/ts-declare-function.ts";
import { lowerTSInterfaceDeclaration } from "./visitors/statement/ts-interface-declaration.ts";
import { lowerTSTypeAliasDeclaration } from "./visitors/statement/ts-type-alias-declaration.ts";
import { lowerVariableDeclaration } from "./visitors/statement/variable-declaration.ts";
import { lowerWhileStatement } from "./visitors/statement/while-statement.ts";

/** The lowering table: every kind of node that a body may contain stands here, and no other one compiles. */
export const expressionVisitors = {
  ArrayExpression: lowerArrayExpression,
  ArrowFunctionExpression: lowerArrowFunctionExpression,
  AssignmentExpression: lowerAssignmentExpression,
  AwaitExpression: lowerAwaitExpression,
  BinaryExpression: lowerBinaryExpression,
  CallExpression: lowerCallExpression,
  ChainExpression: lowerChainExpression,
  ConditionalExpression: lowerConditionalExpression,
  FunctionDeclaration: lowerDeclaredFunction,
  FunctionExpression: lowerFunctionExpression,
  Identifier: lowerIdentifier,
  Literal: lowerLiteral,
  LogicalExpression: lowerLogicalExpression,
  MemberExpression: lowerMemberExpression,
  NewExpression: lowerNewExpression,
  ObjectExpression: lowerObjectExpression,
  SequenceExpression: lowerSequenceExpression,
  TemplateLiteral: lowerTemplateLiteral,
  ThisExpression: lowerThisExpression,
  UnaryExpression: lowerUnaryExpression,
  UpdateExpression: lowerUpdateExpression,
};

/** Expressions that are shorter when nobody wants their value. */
export const effectVisitors = {
  AssignmentExpression: lowerAssignmentExpressionEffect,
  ConditionalExpression: lowerConditionalExpressionEffect,
  Literal: lowerLiteralEffect,
  LogicalExpression: lowerLogicalExpressionEffect,
  SequenceExpression: lowerSequenceExpressionEffect,
  UpdateExpression: lowerUpdateExpressionEffect,
};

export const statementVisitors = {
  BlockStatement: lowerBlockStatement,
  BreakStatement: lowerBreakStatement,
  ContinueStatement: lowerContinueStatement,
  DoWhileStatement: lowerDoWhileStatement,
  EmptyStatement: lowerEmptyStatement,
  ExpressionStatement: lowerExpressionStatement,
  ForInStatement: lowerForInStatement,
  ForOfStatement: lowerForOfStatement,
  ForStatement: lowerForStatement,
  FunctionDeclaration: lowerFunctionDeclaration,
  IfStatement: lowerIfStatement,
  LabeledStatement: lowerLabeledStatement,
  ReturnStatement: lowerReturnStatement,
  SwitchStatement: lowerSwitchStatement,
  ThrowStatement: lowerThrowStatement,
  TryStatement: lowerTryStatement,
  TSDeclareFunction: lowerTSDeclareFunction,
  TSInterfaceDeclaration: lowerTSInterfaceDeclaration,
  TSTypeAliasDeclaration: lowerTSTypeAliasDeclaration,
  VariableDeclaration: lowerVariableDeclaration,
  WhileStatement: lowerWhileStatement,
};
