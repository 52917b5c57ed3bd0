import type { LoadHook, ResolveHook } from "node:module";
import { REQUIRES_TYPES } from "./common-js-types.ts";
import { ModuleHooks } from "../transform/module-hooks.ts";

/** For Node versions that run hooks in a thread of their own. */
const hooks = new ModuleHooks(console.warn, { requiresTypes: REQUIRES_TYPES });

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const url = hooks.resolve(specifier, context.parentURL);
  return url === null ? nextResolve(specifier, context) : { url, shortCircuit: true };
};

export const load: LoadHook = async (url, context, nextLoad) => hooks.load(url, context) ?? nextLoad(url, context);
