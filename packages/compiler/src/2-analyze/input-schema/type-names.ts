import type {
  Class,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  ModuleExportName,
  Statement,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSTypeAliasDeclaration,
} from "oxc-parser";
import { CAIRN } from "../link/cairn-exports.ts";
import type { EnumMembers } from "../link/enum.ts";
import { Linker } from "../link/linker.ts";
import type { ImportTarget, Module } from "../link/module.ts";
import type { ModuleCache } from "../link/module-cache.ts";
import type { SourceHooks } from "../link/modules.ts";
import { exported } from "../scope/declare.ts";

/** What the name of a type stands for. */
export type TypeDeclaration =
  | { readonly kind: "alias"; readonly module: Module; readonly node: TSTypeAliasDeclaration }
  | { readonly kind: "interface"; readonly module: Module; readonly nodes: readonly TSInterfaceDeclaration[] }
  | {
      readonly kind: "enum";
      readonly module: Module;
      readonly nodes: readonly TSEnumDeclaration[];
      readonly members: EnumMembers;
    }
  /** `import * as types`: only `types.Order` means something. */
  | { readonly kind: "namespace"; readonly module: Module }
  /** `Duration` of cairnjs. */
  | { readonly kind: "duration" }
  /** A class, a type of a package, of a file that cannot be read. */
  | { readonly kind: "other" };

const other: TypeDeclaration = { kind: "other" };

/**
 * Finds the declarations of types, through imports and re-exports, type-only ones included. It reads modules with a
 * linker of its own: what only types lead to must not become part of a program's order of evaluation.
 */
export class TypeNames {
  readonly #hooks: SourceHooks;
  readonly #linker: Linker;
  readonly #tables = new Map<Module, TypeTable>();

  constructor(hooks: SourceHooks, known: Iterable<Module>, cache?: ModuleCache) {
    this.#hooks = hooks;
    this.#linker = new Linker(hooks, cache);
    for (const module of known) this.#linker.modules.keep(module);
  }

  /** Ids of all modules known or read by now. */
  get modules(): Iterable<string> {
    return this.#linker.modules.ids();
  }

  /** null for a name that the module neither declares nor imports: one of TypeScript's, if anything. */
  find(module: Module, name: string): TypeDeclaration | null {
    return this.#find(module, name, new Set());
  }

  /** `ns.Order`. */
  memberOf(namespace: Module, name: string): TypeDeclaration {
    return this.#exportOf(namespace, name, new Set()) ?? other;
  }

  /** The module of `import("./types").Order`. */
  imported(module: Module, specifier: string): TypeDeclaration {
    const target = this.#follow(module, specifier);
    return target === null ? other : { kind: "namespace", module: target };
  }

  #find(module: Module, name: string, seen: Set<string>): TypeDeclaration | null {
    const table = this.#tableOf(module);
    const declared = table.declared.get(name);
    if (declared !== undefined) return this.#declaration(module, name, declared);
    const target = table.imports.get(name);
    return target === undefined ? null : this.#import(module, target, seen);
  }

  #declaration(module: Module, name: string, nodes: readonly TypeStatement[]): TypeDeclaration {
    const [first] = nodes;
    if (first === undefined || nodes.some(({ type }) => type === "ClassDeclaration")) return other;
    const interfaces = nodes.filter((node) => node.type === "TSInterfaceDeclaration");
    if (interfaces.length > 0) return { kind: "interface", module, nodes: interfaces };
    if (first.type === "TSTypeAliasDeclaration") return { kind: "alias", module, node: first };
    return this.#enum(module, name, nodes);
  }

  #enum(module: Module, name: string, nodes: readonly TypeStatement[]): TypeDeclaration {
    const binding = module.scopes.module.bindings.get(name);
    const global = binding === undefined ? null : this.#linker.globalOf(module, binding);
    const enums = nodes.filter((node) => node.type === "TSEnumDeclaration");
    if (global === null || enums.length === 0) return other;
    return { kind: "enum", module, nodes: enums, members: this.#linker.membersOf(global) };
  }

  #import(module: Module, { specifier, name }: ImportTarget, seen: Set<string>): TypeDeclaration {
    if (specifier === CAIRN) return name === "Duration" ? { kind: "duration" } : other;
    const target = this.#follow(module, specifier);
    if (target === null) return other;
    if (name === "*") return { kind: "namespace", module: target };
    return this.#exportOf(target, name, seen) ?? other;
  }

  /** `seen` ends circles of re-exports. */
  #exportOf(module: Module, name: string, seen: Set<string>): TypeDeclaration | null {
    const key = `${module.id}\n${name}`;
    if (seen.has(key)) return null;
    seen.add(key);
    const table = this.#tableOf(module);
    const target = table.exports.get(name);
    if (typeof target === "string") return this.#find(module, target, seen);
    if (target !== undefined) return this.#import(module, target, seen);
    if (name === "default") return null;
    for (const specifier of table.stars) {
      const through = this.#follow(module, specifier);
      const found = through === null ? null : this.#exportOf(through, name, seen);
      if (found !== null) return found;
    }
    return null;
  }

  #follow(importer: Module, specifier: string): Module | null {
    const id = this.#hooks.resolve(specifier, importer.id);
    if (id === null) return null;
    try {
      const module = this.#linker.modules.load(id);
      return module.problems.length > 0 ? null : module;
    } catch {
      // A file that cannot be read says nothing about the type; when code needs it too, the checks report it.
      return null;
    }
  }

  #tableOf(module: Module): TypeTable {
    const known = this.#tables.get(module);
    if (known !== undefined) return known;
    const table = readTypes(module.program.body);
    this.#tables.set(module, table);
    return table;
  }
}

type TypeStatement = TSTypeAliasDeclaration | TSInterfaceDeclaration | TSEnumDeclaration | Class;

/** Types that a module declares, imports and exports; of exports either the local name or where from. */
interface TypeTable {
  readonly declared: Map<string, TypeStatement[]>;
  readonly imports: Map<string, ImportTarget>;
  readonly exports: Map<string, string | ImportTarget>;
  readonly stars: string[];
}

function readTypes(body: readonly Statement[]): TypeTable {
  const table: TypeTable = { declared: new Map(), imports: new Map(), exports: new Map(), stars: [] };
  for (const statement of body) {
    switch (statement.type) {
      case "ImportDeclaration":
        for (const item of statement.specifiers) {
          const name = item.type === "ImportSpecifier" ? nameOf(item.imported) : wholeModule[item.type];
          table.imports.set(item.local.name, { specifier: statement.source.value, name });
        }
        break;
      case "ExportNamedDeclaration":
        readExports(statement, table);
        break;
      case "ExportDefaultDeclaration":
        readDefault(statement, table);
        break;
      case "ExportAllDeclaration": {
        const specifier = statement.source.value;
        if (statement.exported === null) table.stars.push(specifier);
        else table.exports.set(nameOf(statement.exported), { specifier, name: "*" });
        break;
      }
    }
    readDeclaration(statement, table);
  }
  return table;
}

const wholeModule = { ImportDefaultSpecifier: "default", ImportNamespaceSpecifier: "*" } as const;

function readDeclaration(statement: Statement, { declared }: TypeTable): void {
  const node = exported(statement);
  switch (node.type) {
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
    case "TSEnumDeclaration":
    case "ClassDeclaration": {
      if (node.id === null) break;
      const nodes = declared.get(node.id.name) ?? [];
      nodes.push(node);
      declared.set(node.id.name, nodes);
    }
  }
}

function readExports(node: ExportNamedDeclaration, { exports }: TypeTable): void {
  for (const { local, exported: name } of node.specifiers) {
    const target = nameOf(local);
    exports.set(nameOf(name), node.source === null ? target : { specifier: node.source.value, name: target });
  }
  const { declaration } = node;
  if (declaration !== null && "id" in declaration && declaration.id?.type === "Identifier") {
    exports.set(declaration.id.name, declaration.id.name);
  }
}

/** `export default interface Order {…}`, or `export default Order` of a type with that name. */
function readDefault({ declaration }: ExportDefaultDeclaration, { exports }: TypeTable): void {
  if (declaration.type === "Identifier") exports.set("default", declaration.name);
  else if (declaration.type === "TSInterfaceDeclaration") exports.set("default", declaration.id.name);
}

function nameOf(node: ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}
