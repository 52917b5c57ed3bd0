export { CompileFailed, warningsOf } from "./compile-failed.ts";
export { type LoadedModule, type LoadRequest, ModuleHooks } from "./module-hooks.ts";
export { ProjectFiles } from "./project-files.ts";
export { moduleResolver, type ResolveModule } from "./resolve-module.ts";
export { type PlainModule, stripTypes } from "./strip-types.ts";
export {
  type TransformedModule,
  type TransformHooks,
  transformModule,
  type TransformOptions,
} from "./transform-module.ts";
