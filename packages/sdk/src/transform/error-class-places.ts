import { type Class, parseSync, type Program } from "oxc-parser";

/** A class whose name must survive minifying: errors are told apart by the names they have in the source. */
export interface ErrorClassPlace {
  readonly name: string;
  /** Behind the opening brace of its body. */
  readonly inside: number;
}

/** Classes at the top of a module that extend an error class, as far as its text says. */
export function errorClassPlaces(path: string, source: string): ErrorClassPlace[] {
  if (!/\bclass\b[^{]*\bextends\b/.test(source)) return [];
  const { program } = parseSync(path, source, { lang: /\.[jt]sx$/.test(path) ? "tsx" : "ts", sourceType: "module" });
  const imported = new Set(Array.from(projectImports(program), ([, local]) => local));
  const found = new Map<string, ErrorClassPlace>();
  for (const { id, superClass, body } of topLevelClasses(program)) {
    const parent = superClass?.type === "Identifier" ? superClass.name : null;
    if (id === null || parent === null) continue;
    if (!/(Error|Exception)$/.test(parent) && !found.has(parent) && !imported.has(parent)) continue;
    if (!body.body.some(declaresName)) found.set(id.name, { name: id.name, inside: body.start + 1 });
  }
  return [...found.values()];
}

/**
 * Expressions for those of some error classes that a module has, by their names: declared at its top, or imported from a
 * module of the project. An import counts only if it is made or asked for here: a name that only types use would keep
 * alive an import that has nothing behind it.
 */
export function errorClassBindings(path: string, source: string, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  const { program } = parseSync(path, source, { lang: /\.[jt]sx$/.test(path) ? "tsx" : "ts", sourceType: "module" });
  for (const { id } of topLevelClasses(program)) if (id !== null && wanted.has(id.name)) found.set(id.name, id.name);
  for (const [name, local] of projectImports(program)) {
    const isUsed = new RegExp(`\\b(?:new|instanceof)\\s+${local.replaceAll("$", "\\$")}\\b`).test(source);
    if (wanted.has(name) && !found.has(name) && isUsed) found.set(name, local);
  }
  return found;
}

function* topLevelClasses({ body }: Program): Generator<Class> {
  for (const statement of body) {
    const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const node = isExport ? statement.declaration : statement;
    if (node?.type === "ClassDeclaration") yield node;
  }
}

/**
 * Names and what they are called here, from modules of the project: a class of a package has the name that its package
 * gives it.
 */
function* projectImports({ body }: Program): Generator<readonly [name: string, local: string]> {
  for (const statement of body) {
    if (statement.type !== "ImportDeclaration" || !/^[.#@~]/.test(statement.source.value)) continue;
    if (statement.importKind === "type") continue;
    for (const each of statement.specifiers) {
      if (each.type === "ImportSpecifier" && each.importKind === "type") continue;
      const imported = each.type === "ImportSpecifier" ? each.imported : each.local;
      if (imported.type === "Identifier") yield [imported.name, each.local.name];
    }
  }
}

function declaresName(member: Class["body"]["body"][number]): boolean {
  return (
    "static" in member &&
    member.static &&
    "key" in member &&
    member.key.type === "Identifier" &&
    member.key.name === "name"
  );
}
