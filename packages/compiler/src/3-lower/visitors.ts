import { lowerArray } from "./expression/array.ts";
import { lowerAssignment, lowerAssignmentEffect, lowerUpdate, lowerUpdateEffect } from "./expression/assignment.ts";
import { lowerCall, lowerNew } from "./expression/call.ts";
import {
  lowerAwait,
  lowerConditional,
  lowerConditionalEffect,
  lowerLogicalEffect,
  lowerSequence,
  lowerSequenceEffect,
} from "./expression/flow.ts";
import { lowerFunctionExpression } from "./expression/function.ts";
import { lowerIdentifier, lowerThis } from "./expression/identifier.ts";
import { lowerLiteral } from "./expression/literal.ts";
import { lowerChain, lowerMember } from "./expression/member.ts";
import { lowerObject } from "./expression/object.ts";
import { lowerBinary, lowerLogical, lowerUnary } from "./expression/operator.ts";
import { lowerTemplate } from "./expression/template.ts";
import { lowerDoWhile, lowerFor, lowerForIn, lowerForOf, lowerWhile } from "./statement/loop.ts";
import {
  lowerBlock,
  lowerBreak,
  lowerContinue,
  lowerExpressionStatement,
  lowerIf,
  lowerLabeled,
  lowerNothing,
  lowerReturn,
  lowerThrow,
} from "./statement/simple.ts";
import { lowerSwitch } from "./statement/switch.ts";
import { lowerTry } from "./statement/try.ts";
import { lowerVariables } from "./statement/variable.ts";

/** The lowering table: every kind of node that a body may contain stands here, and no other one compiles. */
export const expressionVisitors = {
  ArrayExpression: lowerArray,
  ArrowFunctionExpression: lowerFunctionExpression,
  AssignmentExpression: lowerAssignment,
  AwaitExpression: lowerAwait,
  BinaryExpression: lowerBinary,
  CallExpression: lowerCall,
  ChainExpression: lowerChain,
  ConditionalExpression: lowerConditional,
  FunctionDeclaration: lowerFunctionExpression,
  FunctionExpression: lowerFunctionExpression,
  Identifier: lowerIdentifier,
  Literal: lowerLiteral,
  LogicalExpression: lowerLogical,
  MemberExpression: lowerMember,
  NewExpression: lowerNew,
  ObjectExpression: lowerObject,
  SequenceExpression: lowerSequence,
  TemplateLiteral: lowerTemplate,
  ThisExpression: lowerThis,
  UnaryExpression: lowerUnary,
  UpdateExpression: lowerUpdate,
};

/** Expressions that are shorter when nobody wants their value. */
export const effectVisitors = {
  AssignmentExpression: lowerAssignmentEffect,
  ConditionalExpression: lowerConditionalEffect,
  Literal: lowerNothing,
  LogicalExpression: lowerLogicalEffect,
  SequenceExpression: lowerSequenceEffect,
  UpdateExpression: lowerUpdateEffect,
};

export const statementVisitors = {
  BlockStatement: lowerBlock,
  BreakStatement: lowerBreak,
  ContinueStatement: lowerContinue,
  DoWhileStatement: lowerDoWhile,
  EmptyStatement: lowerNothing,
  ExpressionStatement: lowerExpressionStatement,
  ForInStatement: lowerForIn,
  ForOfStatement: lowerForOf,
  ForStatement: lowerFor,
  FunctionDeclaration: lowerNothing,
  IfStatement: lowerIf,
  LabeledStatement: lowerLabeled,
  ReturnStatement: lowerReturn,
  SwitchStatement: lowerSwitch,
  ThrowStatement: lowerThrow,
  TryStatement: lowerTry,
  TSDeclareFunction: lowerNothing,
  TSInterfaceDeclaration: lowerNothing,
  TSTypeAliasDeclaration: lowerNothing,
  VariableDeclaration: lowerVariables,
  WhileStatement: lowerWhile,
};
