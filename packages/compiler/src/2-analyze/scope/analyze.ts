import type { ArrowFunctionExpression, Class, Function, IfStatement, Node, Program, Statement } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isErasedWrapper, isTypeOnly } from "../../1-parse/erase.ts";
import type { Frame, Reference, Scope } from "./binding.ts";
import {
  alwaysReady,
  declare,
  declareHoisted,
  declareLexical,
  declareParameters,
  declareVariables,
  hasExpressions,
} from "./declare.ts";
import type { ModuleScopes } from "./module-scopes.ts";
import { ScopeTree } from "./scope-tree.ts";

/** Finds what each identifier of a module means. Names of other modules are left to the linker. */
export function analyzeScopes(program: Program): ModuleScopes {
  return new ScopeAnalyzer(program).result();
}

class ScopeAnalyzer {
  readonly #tree = new ScopeTree();
  readonly #module: Scope;

  constructor(program: Program) {
    const frame: Frame = { node: program, parent: null, kind: "module", thisBinding: null };
    this.#tree.frames.set(program, frame);
    this.#module = this.#tree.open("module", program, null, frame);
    const statements = program.body as Statement[];
    for (const statement of statements) {
      if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
      for (const specifier of statement.specifiers) {
        if (specifier.type === "ImportSpecifier" && specifier.importKind === "type") continue;
        declare(this.#module, specifier.local.name, "import", specifier, alwaysReady);
      }
    }
    declareHoisted(statements, this.#module, null);
    declareLexical(statements, this.#module, false);
    this.#visitAll(statements, this.#module, program);
  }

  result(): ModuleScopes {
    return this.#tree.result(this.#module);
  }

  #visitAll(nodes: readonly (Node | null)[], scope: Scope, parent: Node): void {
    for (const node of nodes) if (node !== null) this.#visit(node, scope, parent);
  }

  #visitChildren(node: Node, scope: Scope): void {
    for (const child of children(node)) this.#visit(child, scope, node);
  }

  #visit(node: Node, scope: Scope, parent: Node): void {
    this.#tree.parents.set(node, parent);
    if (isTypeOnly(node)) return;
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
      case "ExportDefaultDeclaration":
        this.#visitModuleItem(node, scope, parent);
        break;
      case "Identifier":
        this.#tree.refer(node, node.name, scope, "read");
        break;
      case "ThisExpression":
        this.#tree.referThis(node, scope);
        break;
      case "MemberExpression":
        this.#visit(node.object, scope, node);
        this.#tree.parents.set(node.property, node);
        if (node.computed) this.#visit(node.property, scope, node);
        break;
      case "Property":
      case "PropertyDefinition":
      case "MethodDefinition":
        this.#tree.parents.set(node.key, node);
        if (node.computed) this.#visit(node.key, scope, node);
        if (node.value !== null) this.#visit(node.value, scope, node);
        break;
      case "AssignmentExpression":
        this.#visitTarget(node.left, scope, node, node.operator === "=" ? "write" : "readwrite");
        this.#visit(node.right, scope, node);
        break;
      case "UpdateExpression":
        this.#visitTarget(node.argument, scope, node, "readwrite");
        break;
      case "VariableDeclarator":
        this.#visitTarget(node.id, scope, node, "init");
        if (node.init !== null) this.#visit(node.init, scope, node);
        break;
      case "BlockStatement":
        this.#visitBlock(node.body as Statement[], this.#tree.open("block", node, scope, scope.frame), node);
        break;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
        this.#visitLoop(node, scope);
        break;
      case "IfStatement":
        this.#visitIf(node, scope);
        break;
      case "SwitchStatement":
        this.#visitSwitch(node, scope);
        break;
      case "CatchClause":
        this.#visitCatch(node, scope);
        break;
      case "FunctionDeclaration":
      case "FunctionExpression":
        this.#visitFunction(node, scope, parent);
        break;
      case "ArrowFunctionExpression":
        this.#visitFrame(node, scope, { node, parent: scope.frame, kind: "arrow", thisBinding: null });
        break;
      case "ClassDeclaration":
      case "ClassExpression":
        this.#visitClass(node, scope);
        break;
      case "TSEnumDeclaration":
        this.#visitEnum(node, scope);
        break;
      case "TSModuleDeclaration":
        this.#visitNamespace(node, scope);
        break;
      case "ExportSpecifier":
      case "LabeledStatement":
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        if (node.type === "LabeledStatement") this.#visit(node.body, scope, node);
        break;
      default:
        this.#visitChildren(node, scope);
    }
  }

  /** The parser accepts these wherever a statement may stand, engines only at the top level. */
  #visitModuleItem(node: ModuleItem, scope: Scope, parent: Node): void {
    if (parent.type !== "Program" && parent.type !== "TSModuleBlock") {
      const { start, end } = node;
      const keyword = node.type === "ImportDeclaration" ? "import" : "export";
      this.#tree.problems.push({ message: `\`${keyword}\` may only appear at the top level of a module`, start, end });
    }
    if (node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration") {
      this.#visitChildren(node, scope);
    }
  }

  #visitTarget(node: Node, scope: Scope, parent: Node, access: Reference["access"]): void {
    this.#tree.parents.set(node, parent);
    switch (node.type) {
      case "Identifier":
        this.#tree.refer(node, node.name, scope, access);
        break;
      case "ArrayPattern":
        for (const element of node.elements) if (element !== null) this.#visitTarget(element, scope, node, access);
        break;
      case "ObjectPattern":
        for (const property of node.properties) this.#visitTarget(property, scope, node, access);
        break;
      case "Property":
        this.#tree.parents.set(node.key, node);
        if (node.computed) this.#visit(node.key, scope, node);
        this.#visitTarget(node.value, scope, node, access);
        break;
      case "AssignmentPattern":
        this.#visitTarget(node.left, scope, node, access);
        this.#visit(node.right, scope, node);
        break;
      case "RestElement":
        this.#visitTarget(node.argument, scope, node, access);
        break;
      case "TSParameterProperty":
        this.#visitTarget(node.parameter, scope, node, access);
        break;
      default:
        if (isErasedWrapper(node)) this.#visitTarget(node.expression, scope, node, access);
        else this.#visit(node, scope, parent);
    }
  }

  #visitBlock(statements: readonly Statement[], scope: Scope, parent: Node): void {
    declareLexical(statements, scope, true);
    this.#visitAll(statements, scope, parent);
  }

  #visitLoop(node: Extract<Node, { type: "ForStatement" | "ForInStatement" | "ForOfStatement" }>, scope: Scope): void {
    const loop = this.#tree.open("loop", node, scope, scope.frame);
    if (node.type === "ForStatement") {
      if (node.init?.type === "VariableDeclaration") declareVariables(node.init, loop);
      this.#visitAll([node.init, node.test, node.update, node.body], loop, node);
      return;
    }
    if (node.left.type === "VariableDeclaration") {
      declareVariables(node.left, loop, node.right.end);
      this.#visit(node.left, loop, node);
    } else {
      this.#visitTarget(node.left, loop, node, "write");
    }
    this.#visit(node.right, loop, node);
    this.#visit(node.body, loop, node);
  }

  /** In a loop, since people write long chains of `else if`. */
  #visitIf(first: IfStatement, scope: Scope): void {
    for (let node = first; ;) {
      this.#visit(node.test, scope, node);
      this.#visit(node.consequent, scope, node);
      const { alternate } = node;
      if (alternate?.type !== "IfStatement") {
        if (alternate !== null) this.#visit(alternate, scope, node);
        return;
      }
      this.#tree.parents.set(alternate, node);
      node = alternate;
    }
  }

  #visitSwitch(node: Extract<Node, { type: "SwitchStatement" }>, scope: Scope): void {
    this.#visit(node.discriminant, scope, node);
    const inner = this.#tree.open("switch", node, scope, scope.frame);
    for (const clause of node.cases) declareLexical(clause.consequent, inner, true);
    for (const clause of node.cases) {
      this.#tree.parents.set(clause, node);
      if (clause.test !== null) this.#visit(clause.test, inner, clause);
      this.#visitAll(clause.consequent, inner, clause);
    }
  }

  #visitCatch(node: Extract<Node, { type: "CatchClause" }>, scope: Scope): void {
    const inner = this.#tree.open("catch", node, scope, scope.frame);
    if (node.param !== null) {
      declareParameters([node.param], inner, node.body.start);
      this.#visitTarget(node.param, inner, node, "init");
    }
    this.#visit(node.body, inner, node);
  }

  #visitFunction(node: Function, scope: Scope, parent: Node): void {
    const isMethod = parent.type === "MethodDefinition" || (parent.type === "Property" && parent.method);
    const kind = isMethod ? "method" : "function";
    const frame: Frame = { node, parent: scope.frame, kind, thisBinding: null };
    let outer = scope;
    if (node.type === "FunctionExpression" && node.id !== null) {
      outer = this.#tree.open("self", node.id, scope, frame);
      declare(outer, node.id.name, "self", node, alwaysReady);
    }
    this.#visitFrame(node, outer, frame);
  }

  #visitFrame(node: Function | ArrowFunctionExpression, outer: Scope, frame: Frame): void {
    this.#tree.frames.set(node, frame);
    const scope = this.#tree.open("parameters", node, outer, frame);
    if (node.body === null) return;
    declareParameters(node.params, scope, node.body.start);
    for (const parameter of node.params) {
      if (parameter.type === "Identifier" && parameter.name === "this") continue;
      this.#visitTarget(parameter, scope, node, "init");
    }
    this.#tree.parents.set(node.body, node);
    if (node.body.type !== "BlockStatement") {
      this.#visit(node.body, scope, node);
      return;
    }
    const statements = node.body.body as Statement[];
    const body = this.#tree.open("body", node.body, scope, frame);
    declareHoisted(statements, body, hasExpressions(node.params) ? null : scope);
    declareLexical(statements, body, false);
    this.#visitAll(statements, body, node.body);
  }

  /** Field initialisers run in the constructor, yet do not see its parameters. */
  #visitClass(node: Class, scope: Scope): void {
    if (node.superClass !== null) this.#visit(node.superClass, scope, node);
    this.#tree.parents.set(node.body, node);
    const constructor = node.body.body.find(
      (member) => member.type === "MethodDefinition" && member.kind === "constructor" && member.value.body !== null,
    );
    const owner = constructor?.type === "MethodDefinition" ? constructor.value : node;
    const frame: Frame = { node: owner, parent: scope.frame, kind: "constructor", thisBinding: null };
    this.#tree.frames.set(owner, frame);
    const fields = this.#tree.open("class", node, scope, frame);
    // The constructor goes first: `this` in an arrow of a field is a binding of its scope.
    if (constructor !== undefined) {
      this.#tree.parents.set(constructor, node.body);
      this.#tree.parents.set(owner, constructor);
      this.#visitFrame(owner as Function, scope, frame);
    }
    for (const member of node.body.body) if (member !== constructor) this.#visit(member, fields, node.body);
  }

  #visitEnum(node: Extract<Node, { type: "TSEnumDeclaration" }>, scope: Scope): void {
    const inner = this.#tree.open("enum", node, scope, scope.frame);
    this.#tree.parents.set(node.body, node);
    for (const member of node.body.members) {
      this.#tree.parents.set(member, node.body);
      if (member.initializer !== null) this.#visit(member.initializer, inner, member);
    }
  }

  /** Nothing in it can be used, but what it does to names around it is seen. */
  #visitNamespace(node: Extract<Node, { type: "TSModuleDeclaration" }>, scope: Scope): void {
    if (node.body == null) return;
    const statements = node.body.body as Statement[];
    this.#tree.parents.set(node.body, node);
    const inner = this.#tree.open("body", node.body, scope, scope.frame);
    declareHoisted(statements, inner, null);
    declareLexical(statements, inner, false);
    this.#visitAll(statements, inner, node.body);
  }
}

type ModuleItem = Extract<
  Node,
  { type: "ImportDeclaration" | "ExportAllDeclaration" | "ExportNamedDeclaration" | "ExportDefaultDeclaration" }
>;
