import { register } from "node:module";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { CannotRun } from "../cannot-run.ts";
import { beforeSilence } from "./silence.ts";
import type { HooksData, WorkflowModules } from "./hooks.ts";

export type ModuleNamespace = Readonly<Record<string, unknown>>;

/** Imports the user's modules, TypeScript ones too. Modules are loaded once in the life of the process. */
export class ModuleLoader {
  readonly #port: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    this.#port = port1;
    const data: HooksData = { port: port2 };
    register("./hooks.js", { parentURL: import.meta.url, data, transferList: [port2] });
    // Places in errors of users' code are those of their source.
    process.setSourceMapsEnabled(true);
  }

  /** Tells the hooks what to export from modules of workflows. To be called before any of them is imported. */
  prepare(modules: WorkflowModules): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, no window
    this.#port.postMessage(modules);
  }

  async import(path: string): Promise<ModuleNamespace> {
    const file = relative(process.cwd(), path);
    try {
      return await beforeSilence(
        import(pathToFileURL(path).href) as Promise<ModuleNamespace>,
        () => new CannotRun(`${file} never finishes loading: it awaits something that does not come`),
      );
    } catch (error) {
      if (error instanceof CannotRun) throw error;
      throw new CannotRun(`${file} cannot be loaded: ${firstLine(error)}`, { cause: error });
    }
  }
}

function firstLine(error: unknown): string {
  return String(error).split("\n", 1)[0] ?? "";
}
