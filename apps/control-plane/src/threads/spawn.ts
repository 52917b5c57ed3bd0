import { Worker, type WorkerOptions } from "node:worker_threads";

/** A thread of ours. Node.js cannot load TypeScript in threads: from sources, as in our own tests, the build is used. */
export function spawnThread(name: "runloop" | "keeper", options: WorkerOptions): Worker {
  const folder = import.meta.url.endsWith(".ts") ? "../../dist/threads/" : "./";
  const file = new URL(`${folder}${name}-thread.js`, import.meta.url);
  // Hooks and flags of the user's process are for the user's code.
  return new Worker(file, { ...options, execArgv: [], name: `cairn ${name}` });
}

const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 5_000;
/** One that has lived so long did not go down because it was started. */
const SETTLED_MS = 10_000;

/** How long to wait before a thread that went down is started again: longer when it goes down again and again. */
export class RestartDelay {
  #failures = 0;
  #startedAt = 0;

  started(): void {
    this.#startedAt = performance.now();
  }

  next(): number {
    if (performance.now() - this.#startedAt > SETTLED_MS) this.#failures = 0;
    return Math.min(RESTART_MAX_MS, RESTART_MIN_MS * 2 ** this.#failures++);
  }
}
