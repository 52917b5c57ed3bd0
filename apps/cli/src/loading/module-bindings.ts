import { parseSync } from "oxc-parser";
import type { BindingPattern, Directive, Statement } from "oxc-parser";

/** What a module of a workflow exports beside its own, for this command alone. */
export const BINDINGS_EXPORT = "$cairnBindings";

/** The module with an export that gives everything at its top level. */
export function withBindings(code: string): string {
  return `${code}\nexport const ${BINDINGS_EXPORT} = () => [${moduleBindings(code).join(", ")}];\n`;
}

/** Names that the top level of a JavaScript module declares or imports. */
function moduleBindings(code: string): string[] {
  const names: string[] = [];
  for (const statement of parseSync("module.js", code, { sourceType: "module" }).program.body) {
    addDeclared(statement, names);
  }
  return names;
}

function addDeclared(statement: Statement | Directive, names: string[]): void {
  switch (statement.type) {
    case "ImportDeclaration":
      for (const { local } of statement.specifiers) names.push(local.name);
      return;
    case "ExportNamedDeclaration":
      if (statement.declaration !== null) addDeclared(statement.declaration, names);
      return;
    case "ExportDefaultDeclaration":
      addDeclared(statement.declaration as Statement, names);
      return;
    case "VariableDeclaration":
      for (const { id } of statement.declarations) addPattern(id, names);
      return;
    case "FunctionDeclaration":
    case "ClassDeclaration":
      if (statement.id !== null) names.push(statement.id.name);
  }
}

function addPattern(pattern: BindingPattern, names: string[]): void {
  switch (pattern.type) {
    case "Identifier":
      names.push(pattern.name);
      return;
    case "AssignmentPattern":
      addPattern(pattern.left, names);
      return;
    case "ArrayPattern":
      for (const element of pattern.elements) {
        if (element !== null) addPattern(element.type === "RestElement" ? element.argument : element, names);
      }
      return;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        addPattern(property.type === "RestElement" ? property.argument : property.value, names);
      }
  }
}
