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
  const imported = importedNames(program);
  const found = new Map<string, ErrorClassPlace>();
  for (const { id, superClass, body } of topLevelClasses(program)) {
    const parent = superClass?.type === "Identifier" ? superClass.name : null;
    if (id === null || parent === null) continue;
    if (!/(Error|Exception)$/.test(parent) && !found.has(parent) && !imported.has(parent)) continue;
    if (!body.body.some(declaresName)) found.set(id.name, { name: id.name, inside: body.start + 1 });
  }
  return [...found.values()];
}

function* topLevelClasses({ body }: Program): Generator<Class> {
  for (const statement of body) {
    const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const node = isExport ? statement.declaration : statement;
    if (node?.type === "ClassDeclaration") yield node;
  }
}

/** From modules of the project: a class of a package has the name that its package gives it. */
function importedNames({ body }: Program): Set<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.type !== "ImportDeclaration" || !/^[.#@~]/.test(statement.source.value)) continue;
    for (const { local } of statement.specifiers) names.add(local.name);
  }
  return names;
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
