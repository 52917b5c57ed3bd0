import type { Node, TSType } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { UnreadType } from "../input-schema/input-schema.ts";
import type { TypeNames } from "../input-schema/type-names.ts";
import type { Module } from "../link/module.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Names } from "../resolution.ts";
import { sinkOf, textOf } from "./context.ts";
import { mayHaveOption, writtenOptions } from "./options.ts";

/** Warns of a workflow that takes whatever it is given, though its input has a type: nothing was derived of it. */
export function checkUnread(
  { name, call, module: home }: LinkedWorkflow,
  { annotation, module }: UnreadType,
  names: { readonly values: Names; readonly types: TypeNames },
  diagnostics: DiagnosticList,
): void {
  if (mayHaveOption(writtenOptions(call), "input", { module: home, names: names.values })) return;
  const schema = schemaBehind(annotation, module, names.types);
  const otherwise = ", or write the type out in a file of yours; `unknown` says that nothing is to be checked";
  const sink = sinkOf(module, diagnostics);
  const values = { name, type: textOf(annotation, sink), schema: schema ?? "schema" };
  report(sink, "CAIRN5013", annotation, { ...values, otherwise: schema === null ? otherwise : "" });
}

/** Aliases of aliases; a circle of them would not end. */
const DEPTH_MAX = 16;

/** `Order` of `z.infer<typeof Order>`, `v.InferOutput<typeof Order>` and `typeof Order.infer`, also behind a name. */
function schemaBehind(type: TSType, module: Module, types: TypeNames, depth = 0): string | null {
  if (depth > DEPTH_MAX) return null;
  if (type.type === "TSTypeQuery") return inferredBy(type.exprName, module);
  if (type.type !== "TSTypeReference") return null;
  const [argument, another] = type.typeArguments?.params ?? [];
  if (argument !== undefined) {
    if (another !== undefined) return null;
    if (argument.type === "TSTypeQuery") return isInferring(type.typeName) ? textIn(argument.exprName, module) : null;
    return schemaBehind(argument, module, types, depth + 1);
  }
  const declaration = type.typeName.type === "Identifier" ? types.find(module, type.typeName.name) : null;
  if (declaration?.kind !== "alias") return null;
  return schemaBehind(declaration.node.typeAnnotation, declaration.module, types, depth + 1);
}

/** `z.infer`, `z.input`, `v.InferOutput`, `InferType`, `Schema.Type`; not `ReturnType`. */
function isInferring(name: Node): boolean {
  const last = name.type === "TSQualifiedName" ? name.right : name;
  return last.type === "Identifier" && /^(?:infer\w*|input|output|type|typeOf)$/i.test(last.name);
}

/** ArkType's schemas have a property of their type. */
function inferredBy(name: Node, module: Module): string | null {
  const isInferred = name.type === "TSQualifiedName" && name.right.name.startsWith("infer");
  return isInferred ? textIn(name.left, module) : null;
}

function textIn(node: Node, { source }: Module): string {
  return source.slice(node.start, node.end);
}
