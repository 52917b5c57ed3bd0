import type { Node, Statement } from "oxc-parser";
import { isTypeOnly } from "../../1-parse/erase.ts";
import { report } from "../diagnostic.ts";
import type { Global, Resolution } from "../resolution.ts";
import { exported } from "../scope/declare.ts";
import { memberAround, resolutionOf, type CheckContext, type Visitors } from "./context.ts";
import { checkDurableDeclaration } from "./declarations.ts";
import { isKnownGlobal, reportGlobal } from "./globals.ts";
import { isNodeModule, nodeAdvice } from "./node-advice.ts";
import { packageAdvice } from "./package-advice.ts";
import { bare } from "./shape.ts";
import { checkSyntax } from "./syntax.ts";

/** What each name stands for, and whether a body may use it. */
export const nameVisitors: Visitors = {
  Identifier(node, context) {
    const parent = memberAround(node, context);
    if (parent !== null && resolutionOf(parent, context) !== null) return;
    const resolution = resolutionOf(node, context);
    if (resolution !== null) checkResolution(node, node.name, resolution, context);
  },
  MemberExpression(node, context) {
    const resolution = resolutionOf(node, context);
    if (resolution === null) return;
    const parent = resolution.kind === "namespace" ? memberAround(node, context) : null;
    if (parent !== null && resolutionOf(parent, context) !== null) return;
    checkResolution(node, context.source.slice(node.start, node.end), resolution, context);
  },
};

function checkResolution(node: Node, name: string, resolution: Resolution, context: CheckContext): void {
  switch (resolution.kind) {
    case "intrinsic":
      if (!isKnownGlobal(resolution.path)) reportGlobal(resolution.path, node, context);
      else if (isAssigned(node, context)) report(context, "CAIRN2024", node, { path: name });
      break;
    case "durable":
      // Calls have nodes in bodies, helpers and tables; an error is made of values.
      if (context.unit.role === "class") report(context, "CAIRN1006", node, { name: context.unit.name });
      if (resolution.declaration !== null && resolution.module !== null) {
        checkDurableDeclaration(resolution.declaration, resolution.module, context);
      }
      break;
    case "namespace":
      report(context, "CAIRN2028", node, { name });
      break;
    case "global":
      if (isMergedWithNamespace(resolution.global)) report(context, "CAIRN1023", node, { name });
      break;
    case "primitive": {
      const isDeclarer = resolution.name === "action" || resolution.name === "workflow";
      if (isDeclarer && context.evaluated === null) report(context, "CAIRN5009", node, { kind: resolution.name });
      break;
    }
    case "unknown":
      checkUnknown(node, name, resolution, context);
      break;
    default:
  }
}

function checkUnknown(
  node: Node,
  name: string,
  { name: unknownName, why, broken }: Extract<Resolution, { kind: "unknown" }>,
  context: CheckContext,
): void {
  const specifier = specifierOf(node, context);
  const module = JSON.stringify(specifier);
  switch (why) {
    case "undeclared":
      reportGlobal(unknownName, node, context);
      break;
    case "package":
      reportPackage(node, name, specifier, context);
      break;
    case "module":
      report(context, "CAIRN2021", node, { name, module });
      if (broken !== null) checkSyntax(broken, context.diagnostics);
      break;
    case "json":
      report(context, "CAIRN2034", node, { name, module });
      break;
    case "export":
      report(context, "CAIRN2022", node, { name: unknownName, module });
      break;
    case "cairn":
      if (unknownName === "depends") report(context, "CAIRN2029", node);
      else report(context, "CAIRN2030", node, { name: unknownName });
      break;
    case "ambient":
      report(context, "CAIRN2031", node, { name });
      break;
    case "name":
      reportUnnamed(node, unknownName, context);
      break;
    case "declaration":
      reportDeclaration(node, name, context);
      break;
    case "enum":
      report(context, "CAIRN2032", node, { name });
      break;
    case "uninitialised":
      report(context, "CAIRN3011", node, { name });
      break;
    case "circle":
      report(context, "CAIRN3010", node, { name });
      break;
  }
}

function reportPackage(node: Node, name: string, specifier: string, context: CheckContext): void {
  const module = JSON.stringify(specifier);
  if (isNodeModule(specifier)) {
    report(context, "CAIRN2007", node, { name, module, instead: nodeAdvice(node, name, specifier, context) });
  } else {
    const instead = packageAdvice(node, name, context) ?? inAction(name);
    report(context, "CAIRN2020", node, { name, module, instead });
  }
}

function inAction(name: string): string {
  const example = `\`action("name", async (…) => ${name}…)\``;
  return `use ${name} in an action: ${example}; a small function can be copied into your own source`;
}

function reportDeclaration(node: Node, name: string, context: CheckContext): void {
  const root = rootIdentifier(node);
  const declaration = root === null ? undefined : context.module.scopes.references.get(root)?.binding?.declaration;
  if (declaration?.type === "TSModuleDeclaration") report(context, "CAIRN1023", node, { name });
  else report(context, "CAIRN1002", node, { kind: "`import … = …`" });
}

/** `enum Size {}` or a function with a namespace of the same name, whose members would be missing. */
function isMergedWithNamespace({ binding }: Global): boolean {
  return (
    binding !== null &&
    binding.redeclarations.some((node) => {
      if (node.type !== "TSModuleDeclaration" || isTypeOnly(node)) return false;
      const statements = (node.body?.body ?? []) as Statement[];
      return statements.some((statement) => !isTypeOnly(exported(statement)));
    })
  );
}

function isAssigned(node: Node, context: CheckContext): boolean {
  const access = context.module.scopes.references.get(node)?.access;
  return access === "write" || access === "readwrite";
}

/** The declaration is the place to correct; one in another module is named by its use. */
function reportUnnamed(node: Node, kind: string, context: CheckContext): void {
  const declaration = context.module.scopes.references.get(node)?.binding?.declaration;
  const init = declaration?.type === "VariableDeclarator" && declaration.init !== null ? bare(declaration.init) : null;
  if (init?.type === "CallExpression") checkDurableDeclaration(init, context.module, context);
  else report(context, "CAIRN5004", node, { kind });
}

/** The module that the import behind a name says, as it stands in the source. */
function specifierOf(node: Node, context: CheckContext): string {
  const root = rootIdentifier(node);
  const specifier = root === null ? undefined : context.module.imports.get(root.name)?.specifier;
  return specifier ?? context.module.id;
}

export function rootIdentifier(node: Node): Extract<Node, { type: "Identifier" }> | null {
  let at = bare(node);
  while (at.type === "MemberExpression") at = bare(at.object);
  return at.type === "Identifier" ? at : null;
}
