export { CompileFailed, warningsOf } from "./compile-failed.ts";
export { isScript, Project } from "./project.ts";
export { isInPackage, moduleResolver, type ResolveModule } from "./resolve-module.ts";
export { type PlainModule, stripTypes, withInlineMap } from "./strip-types.ts";
export { type TransformedModule, type TransformHooks, transformModule, type TransformOptions } from "./transform-module.ts";
