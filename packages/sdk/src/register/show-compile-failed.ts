import { isMainThread } from "node:worker_threads";

/**
 * Errors of workflows that nobody has caught are shown as `cairn compile` shows them, and nothing else: of what Node
 * prints around an error, its own source and a stack, nothing helps here. The error comes from another thread on Node 20,
 * so it is known by its name. In a worker it is the affair of who started that.
 */
export function showCompileFailed(): void {
  if (!isMainThread) return;
  process.on("uncaughtExceptionMonitor", (error) => {
    if (error.name !== "CompileFailed" || process.listenerCount("uncaughtException") > 0) return;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
