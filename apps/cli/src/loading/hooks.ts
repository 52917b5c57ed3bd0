import { readFile } from "node:fs/promises";
import type { InitializeHook, LoadHook, ResolveHook } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { isInPackage, moduleResolver } from "./resolve-module.ts";
import { type StepPlace, stripTypes, transformWorkflowModule } from "./transform-module.ts";

/**
 * Hooks of Node's module loader, in a thread of their own: TypeScript is stripped of its types, and modules of the
 * user's project are found as bundlers find them.
 */
export interface HooksData {
  readonly port: MessagePort;
}

/** Modules that belong to workflows, with their steps. Sent before anything is imported. */
export type WorkflowModules = ReadonlyMap<string, readonly StepPlace[]>;

const resolveModule = moduleResolver();
const workflowModules = new Map<string, readonly StepPlace[]>();
let port: MessagePort | undefined;

export const initialize: InitializeHook<HooksData> = (data) => {
  port = data.port;
};

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const { parentURL } = context;
  if (parentURL?.startsWith("file:") === true) {
    const importer = fileURLToPath(parentURL);
    const path = isInPackage(importer) ? null : resolveModule(specifier, importer);
    if (path !== null) return { url: pathToFileURL(path).href, shortCircuit: true };
  }
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    // A file outside any project may import `cairnjs` all the same: the command brings its own.
    if (specifier !== "cairnjs" && !specifier.startsWith("cairnjs/")) throw error;
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
};

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith("file:")) return nextLoad(url, context);
  const path = fileURLToPath(url);
  takeMessages();
  const steps = workflowModules.get(path);
  if (steps !== undefined) return asModule(transformWorkflowModule(path, await readFile(path, "utf8"), steps));
  if (/\.([cm]?ts|tsx|jsx)$/.test(path)) return asModule(stripTypes(path, await readFile(path, "utf8")));
  // As bundlers do; Node itself asks for `with { type: "json" }`.
  if (path.endsWith(".json") && context.importAttributes["type"] === undefined) {
    return asModule(`export default ${await readFile(path, "utf8")};`);
  }
  return nextLoad(url, context);
};

function asModule(source: string): { format: "module"; source: string; shortCircuit: true } {
  return { format: "module", source, shortCircuit: true };
}

function takeMessages(): void {
  if (port === undefined) return;
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    for (const [path, steps] of next.message as WorkflowModules) workflowModules.set(path, steps);
  }
}
