import { readFile } from "node:fs/promises";
import type { InitializeHook, LoadHook, ResolveHook } from "node:module";
import { fileURLToPath } from "node:url";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { ModuleHooks } from "cairnjs/transform";
import { withBindings } from "./module-bindings.ts";

/**
 * Hooks of Node's module loader, in a thread of their own: those of `cairnjs/register`, and modules of workflows
 * export what stands at their top level, since actions need not be exported.
 */
export interface HooksData {
  readonly port: MessagePort;
}

/** Modules that belong to workflows. Sent before anything is imported. */
export type WorkflowModules = ReadonlySet<string>;

// Warnings were shown when the files were compiled.
const hooks = new ModuleHooks(() => {});
const workflowModules = new Set<string>();
let port: MessagePort | undefined;

export const initialize: InitializeHook<HooksData> = (data) => {
  port = data.port;
};

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const url = hooks.resolve(specifier, context.parentURL);
  if (url !== null) return { url, shortCircuit: true };
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    // A file outside any project may import `cairnjs` all the same: the command brings its own.
    if (specifier !== "cairnjs" && !specifier.startsWith("cairnjs/")) throw error;
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
};

export const load: LoadHook = async (url, context, nextLoad) => {
  takeMessages();
  const loaded = hooks.load(url, context);
  const path = url.startsWith("file:") ? fileURLToPath(url) : null;
  if (path === null || !workflowModules.has(path)) return loaded ?? nextLoad(url, context);
  const source = withBindings(loaded?.source ?? (await readFile(path, "utf8")));
  return { format: "module", source, shortCircuit: true };
};

function takeMessages(): void {
  if (port === undefined) return;
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    for (const path of next.message as WorkflowModules) workflowModules.add(path);
  }
}
