import type { Node, ParamPattern, Statement, VariableDeclaration } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isTypeOnly } from "../../1-parse/erase.ts";
import type { Binding, BindingKind, Scope } from "./binding.ts";

/** When a name is initialised, as offsets in the source; see `Binding`. */
interface Readiness {
  readonly readyInPattern: number;
  readonly patternEnd: number;
  readonly readyAfter: number;
}

export const alwaysReady: Readiness = { readyInPattern: 0, patternEnd: 0, readyAfter: 0 };

export function declare(scope: Scope, name: string, kind: BindingKind, declaration: Node, ready: Readiness): Binding {
  const existing = scope.bindings.get(name);
  if (existing !== undefined) {
    if (isClash(existing, kind)) scope.clashes.push({ name, declaration });
    existing.redeclarations.push(declaration);
    return existing;
  }
  const binding: Binding = {
    name,
    kind,
    scope,
    declaration,
    redeclarations: [],
    ...ready,
    references: [],
    writes: [],
    captured: false,
    checked: false,
  };
  scope.bindings.set(name, binding);
  return binding;
}

/**
 * Whether an engine refuses the second declaration. Functions may replace each other, and share a name with `var`,
 * at the top level of a function only: in blocks, and at the top level of a module, they are like `let`. The parser
 * knows part of this, for it lets pass what TypeScript may have a meaning for.
 */
function isClash({ kind: first, scope }: Binding, second: BindingKind): boolean {
  if (isForTypes(first) || isForTypes(second)) return false;
  if (first === second && (first === "var" || first === "enum")) return false;
  return scope.kind !== "body" || !isHoisted(first) || !isHoisted(second);
}

/** Merges with others, or is not there at run time. */
function isForTypes(kind: BindingKind): boolean {
  return kind === "ambient" || kind === "namespace";
}

function isHoisted(kind: BindingKind): boolean {
  return kind === "var" || kind === "function";
}

/** `var` and, since this is the top level of a function or module, function declarations. */
export function declareHoisted(statements: readonly Statement[], scope: Scope, parameters: Scope | null): void {
  for (const name of functionNames(statements)) {
    if (!parameters?.bindings.has(name.text)) declare(scope, name.text, "function", name.node, alwaysReady);
  }
  for (const statement of statements) declareVars(statement, scope, parameters);
}

function* functionNames(statements: readonly Statement[]): Generator<{ text: string; node: Node }> {
  for (const statement of statements) {
    const node = exported(statement);
    if (node.type !== "FunctionDeclaration" && node.type !== "TSDeclareFunction") continue;
    if (node.type === "FunctionDeclaration" && node.id !== null && !isTypeOnly(node)) {
      yield { text: node.id.name, node };
    }
  }
}

function declareVars(node: Node, scope: Scope, parameters: Scope | null): void {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ClassDeclaration":
    case "ExpressionStatement":
    case "ReturnStatement":
    case "ThrowStatement":
    case "TSModuleDeclaration":
      return;
    case "VariableDeclaration":
      if (node.kind !== "var" || isTypeOnly(node)) return;
      for (const declarator of node.declarations) {
        for (const leaf of patternLeaves(declarator.id)) {
          if (!parameters?.bindings.has(leaf.name)) declare(scope, leaf.name, "var", declarator, alwaysReady);
        }
      }
      return;
    default:
      if (isTypeOnly(node)) return;
      for (const child of children(node)) declareVars(child, scope, parameters);
  }
}

/** `let`, `const`, classes and enums of a statement list; in a block, its functions too. */
export function declareLexical(statements: readonly Statement[], scope: Scope, isBlock: boolean): void {
  for (const statement of statements) {
    const node = exported(statement);
    switch (node.type) {
      case "VariableDeclaration":
        declareVariables(node, scope);
        break;
      case "FunctionDeclaration":
      case "TSDeclareFunction":
        if (node.id === null) break;
        if (node.declare === true) declare(scope, node.id.name, "ambient", node, alwaysReady);
        else if (isBlock && node.type === "FunctionDeclaration") {
          declare(scope, node.id.name, "function", node, alwaysReady);
        }
        break;
      case "ClassDeclaration":
        if (node.id === null) break;
        if (node.declare === true) declare(scope, node.id.name, "ambient", node, alwaysReady);
        else declare(scope, node.id.name, "class", node, after(node.end));
        break;
      case "TSEnumDeclaration":
        declare(scope, node.id.name, "enum", node, after(node.end));
        break;
      case "TSModuleDeclaration":
        if (node.id.type === "Identifier") declare(scope, node.id.name, "namespace", node, alwaysReady);
        break;
      case "TSImportEqualsDeclaration":
        declare(scope, node.id.name, "namespace", node, alwaysReady);
        break;
    }
  }
}

function after(offset: number): Readiness {
  return { readyInPattern: offset, patternEnd: offset, readyAfter: offset };
}

/** A `let` or `const` statement, or the head of a loop: `headEnd` is where a `for…of` has its value. */
export function declareVariables(node: VariableDeclaration, scope: Scope, headEnd?: number): void {
  if (node.kind === "var" && node.declare !== true) return;
  const kind = node.declare === true ? "ambient" : node.kind === "let" ? "let" : "const";
  for (const declarator of node.declarations) {
    for (const leaf of patternLeaves(declarator.id)) {
      declare(scope, leaf.name, kind, declarator, {
        readyInPattern: leaf.ready,
        patternEnd: declarator.id.end,
        readyAfter: headEnd ?? declarator.end,
      });
    }
  }
}

/** Parameters; only default values and computed keys can see one before its turn. */
export function declareParameters(params: readonly ParamPattern[], scope: Scope, bodyStart: number): void {
  const expressions = hasExpressions(params);
  const patternEnd = params.at(-1)?.end ?? 0;
  for (const parameter of params) {
    if (parameter.type === "Identifier" && parameter.name === "this") continue;
    for (const leaf of patternLeaves(parameter)) {
      const ready = expressions ? { readyInPattern: leaf.ready, patternEnd, readyAfter: bodyStart } : alwaysReady;
      declare(scope, leaf.name, "parameter", parameter, ready);
    }
  }
}

export function hasExpressions(params: readonly Node[]): boolean {
  return params.some((node): boolean => {
    if (node.type === "AssignmentPattern") return true;
    if (node.type === "Property" && node.computed) return true;
    if (isTypeOnly(node) && node.type !== "TSParameterProperty") return false;
    return hasExpressions(children(node));
  });
}

interface PatternLeaf {
  readonly name: string;
  readonly node: Node;
  /** Offset from which later parts of the pattern may use the name. */
  readonly ready: number;
}

/** The names that a binding pattern declares, in order. */
export function* patternLeaves(pattern: Node, ready?: number): Generator<PatternLeaf> {
  switch (pattern.type) {
    case "Identifier":
      yield { name: pattern.name, node: pattern, ready: ready ?? pattern.end };
      break;
    case "AssignmentPattern":
      yield* patternLeaves(pattern.left, ready ?? pattern.end);
      break;
    case "RestElement":
      yield* patternLeaves(pattern.argument, ready);
      break;
    case "TSParameterProperty":
      yield* patternLeaves(pattern.parameter, ready);
      break;
    case "ArrayPattern":
      for (const element of pattern.elements) if (element !== null) yield* patternLeaves(element, ready);
      break;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        yield* patternLeaves(property.type === "Property" ? property.value : property, ready);
      }
      break;
  }
}

/** The declaration inside `export …`, or the statement itself. */
export function exported(statement: Statement): Node {
  if (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration") {
    return statement.declaration ?? statement;
  }
  return statement;
}
