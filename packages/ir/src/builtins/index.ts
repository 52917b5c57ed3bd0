export type { Builtin, Parameter } from "./builtin.ts";
export { builtinAt, builtins, globalNames, isBuiltin, isV8Global, v8NamesOf } from "./list.ts";
