import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * A thread of ours. From sources, as in our own tests, it needs the hook that takes types out of modules; from a build,
 * nothing.
 */
export function spawnThread(name: "runloop" | "keeper", options: WorkerOptions): Worker {
  const fromSource = import.meta.url.endsWith(".ts");
  const file = new URL(`./${name}-thread.${fromSource ? "ts" : "js"}`, import.meta.url);
  const execArgv = fromSource ? ["--conditions=cairn-source", "--import", import.meta.resolve("cairnjs/register")] : [];
  return new Worker(file, { ...options, execArgv, name: `cairn ${name}` });
}
