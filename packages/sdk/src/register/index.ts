import nodeModule from "node:module";
import { registerCommonJsTypes, REQUIRES_TYPES } from "./common-js-types.ts";
import { showCompileFailed } from "./show-compile-failed.ts";
import { type LoadedModule, type LoadRequest, ModuleHooks } from "../transform/module-hooks.ts";

/** `module.registerHooks` of Node 22.15 and later, which the types of Node 20 do not have. */
interface SyncHooks {
  resolve(specifier: string, context: { parentURL?: string }, next: (specifier: string) => object): object;
  load(url: string, context: LoadRequest, next: (url: string) => object): object | LoadedModule;
}

const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: SyncHooks) => void };
if (registerHooks === undefined) {
  nodeModule.register("./hooks-thread.js", import.meta.url);
} else {
  // In the thread of the program: `require` of a module goes through them too.
  const hooks = new ModuleHooks(console.warn, { requiresTypes: REQUIRES_TYPES });
  registerHooks({
    resolve(specifier, context, next) {
      const url = hooks.resolve(specifier, context.parentURL);
      return url === null ? next(specifier) : { url, shortCircuit: true };
    },
    load: (url, context, next) => hooks.load(url, context) ?? next(url),
  });
}
registerCommonJsTypes();
showCompileFailed();
// Places in errors of users' code are those of their source.
process.setSourceMapsEnabled(true);
