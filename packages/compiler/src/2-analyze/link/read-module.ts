import type {
  Declaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
  ModuleExportName,
} from "oxc-parser";
import type { ParsedModule } from "../../1-parse/parse.ts";
import { analyzeScopes } from "../scope/analyze.ts";
import { patternLeaves } from "../scope/declare.ts";
import type { ExportTarget, ImportTarget, Module } from "./module.ts";

/** Scopes, imports and exports of a module. What is only a type is left out. */
export function readModule(parsed: ParsedModule): Module {
  const imports = new Map<string, ImportTarget>();
  const exports = new Map<string, ExportTarget>();
  const stars: string[] = [];
  for (const statement of parsed.program.body) {
    switch (statement.type) {
      case "ImportDeclaration":
        if (statement.importKind !== "type") readImport(statement, imports);
        break;
      case "ExportNamedDeclaration":
        if (statement.exportKind !== "type") readExport(statement, exports);
        break;
      case "ExportDefaultDeclaration":
        exports.set("default", readDefault(statement));
        break;
      case "ExportAllDeclaration": {
        if (statement.exportKind === "type") break;
        const specifier = statement.source.value;
        if (statement.exported === null) stars.push(specifier);
        else exports.set(nameOf(statement.exported), { kind: "from", specifier, name: "*" });
        break;
      }
    }
  }
  return { ...parsed, scopes: analyzeScopes(parsed.program), imports, exports, stars };
}

function readImport(node: ImportDeclaration, imports: Map<string, ImportTarget>): void {
  const specifier = node.source.value;
  for (const item of node.specifiers) {
    if (item.type === "ImportDefaultSpecifier") imports.set(item.local.name, { specifier, name: "default" });
    else if (item.type === "ImportNamespaceSpecifier") imports.set(item.local.name, { specifier, name: "*" });
    else if (item.importKind !== "type") imports.set(item.local.name, { specifier, name: nameOf(item.imported) });
  }
}

function readExport(node: ExportNamedDeclaration, exports: Map<string, ExportTarget>): void {
  for (const item of node.specifiers) {
    if (item.exportKind === "type") continue;
    const name = nameOf(item.local);
    const target: ExportTarget =
      node.source === null ? { kind: "local", name } : { kind: "from", specifier: node.source.value, name };
    exports.set(nameOf(item.exported), target);
  }
  if (node.declaration === null) return;
  for (const name of declaredNames(node.declaration)) exports.set(name, { kind: "local", name });
}

function* declaredNames(node: Declaration): Generator<string> {
  switch (node.type) {
    case "VariableDeclaration":
      for (const declarator of node.declarations) {
        for (const leaf of patternLeaves(declarator.id)) yield leaf.name;
      }
      break;
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration":
    case "TSImportEqualsDeclaration":
      if (node.id?.type === "Identifier") yield node.id.name;
      break;
  }
}

function readDefault({ declaration }: ExportDefaultDeclaration): ExportTarget {
  const isDeclaration = declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
  if (isDeclaration && declaration.id !== null) return { kind: "local", name: declaration.id.name };
  return { kind: "default", node: declaration };
}

function nameOf(node: ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}
