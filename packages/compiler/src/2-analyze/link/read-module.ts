import { createHash } from "node:crypto";
import type {
  Declaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
  ModuleExportName,
  Program,
} from "oxc-parser";
import { isTypeOnly } from "../../1-parse/erase.ts";
import type { ParsedModule, SyntaxProblem } from "../../1-parse/parse.ts";
import { analyzeScopes } from "../scope/analyze.ts";
import { exported, patternLeaves } from "../scope/declare.ts";
import type { ModuleScopes } from "../scope/module-scopes.ts";
import type { ExportTarget, ImportTarget, Module } from "./module.ts";

/** Scopes, imports and exports of a module. What is only a type is left out. */
export function readModule(parsed: ParsedModule): Module {
  const imports = new Map<string, ImportTarget>();
  const stars: string[] = [];
  const requests: string[] = [];
  const table = new ExportTable();
  for (const statement of parsed.program.body) {
    switch (statement.type) {
      case "ImportDeclaration":
        if (statement.importKind === "type") break;
        requests.push(statement.source.value);
        readImport(statement, imports);
        break;
      case "ExportNamedDeclaration":
        if (statement.exportKind === "type") break;
        if (statement.source !== null) requests.push(statement.source.value);
        readExport(statement, table);
        break;
      case "ExportDefaultDeclaration":
        if (!isTypeOnly(statement.declaration)) table.add("default", readDefault(statement), statement);
        break;
      case "ExportAllDeclaration": {
        if (statement.exportKind === "type") break;
        const specifier = statement.source.value;
        requests.push(specifier);
        const { exported: name } = statement;
        if (name === null) stars.push(specifier);
        else table.add(nameOf(name), { kind: "from", specifier, name: "*" }, name);
        break;
      }
    }
  }
  const scopes = analyzeScopes(parsed.program);
  const problems =
    parsed.problems.length > 0
      ? parsed.problems
      : [...scopes.problems, ...table.problems, ...missing(table, parsed.program, scopes)];
  const sourceHash = createHash("sha256").update(parsed.source).digest("hex");
  return { ...parsed, problems, scopes, imports, exports: table.targets, stars, requests, sourceHash };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

class ExportTable {
  readonly targets = new Map<string, ExportTarget>();
  readonly problems: SyntaxProblem[] = [];
  /** Names in `export { name }`. */
  readonly local = new Map<string, Place>();

  add(name: string, target: ExportTarget, { start, end }: Place): void {
    if (this.targets.has(name)) this.problems.push({ message: `Duplicate export of \`${name}\``, start, end });
    this.targets.set(name, target);
  }
}

/** Exported names that the module does not declare. */
function* missing({ local }: ExportTable, program: Program, scopes: ModuleScopes): Generator<SyntaxProblem> {
  for (const [name, { start, end }] of local) {
    if (scopes.module.bindings.has(name) || isTypeName(name, program)) continue;
    yield { message: `Export \`${name}\` is not defined in this module`, start, end };
  }
}

/** A type that is exported without saying so: `interface Order {}` … `export { Order }`. */
function isTypeName(name: string, { body }: Program): boolean {
  return body.some((statement) => {
    if (statement.type === "ImportDeclaration") return statement.specifiers.some(({ local }) => local.name === name);
    const node = exported(statement);
    return isTypeOnly(node) && "id" in node && node.id?.type === "Identifier" && node.id.name === name;
  });
}

function readImport(node: ImportDeclaration, imports: Map<string, ImportTarget>): void {
  const specifier = node.source.value;
  for (const item of node.specifiers) {
    if (item.type === "ImportDefaultSpecifier") imports.set(item.local.name, { specifier, name: "default" });
    else if (item.type === "ImportNamespaceSpecifier") imports.set(item.local.name, { specifier, name: "*" });
    else if (item.importKind !== "type") imports.set(item.local.name, { specifier, name: nameOf(item.imported) });
  }
}

function readExport(node: ExportNamedDeclaration, table: ExportTable): void {
  for (const item of node.specifiers) {
    if (item.exportKind === "type") continue;
    const name = nameOf(item.local);
    if (node.source === null) table.local.set(name, item.local);
    const target: ExportTarget =
      node.source === null ? { kind: "local", name } : { kind: "from", specifier: node.source.value, name };
    table.add(nameOf(item.exported), target, item.exported);
  }
  const { declaration } = node;
  if (declaration === null) return;
  const merges = declaration.type === "TSEnumDeclaration" || declaration.type === "TSModuleDeclaration";
  for (const name of declaredNames(declaration)) {
    if (!merges || !table.targets.has(name)) table.add(name, { kind: "local", name }, declaration);
  }
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
