/** Follows which promises of the current native run were rejected and are still handled by nobody. */
export interface RejectionTracker {
  begin(): void;
  /** What is unhandled now is what counts; later events are of the harness's own doing. */
  settle(): void;
  reasons(): readonly unknown[];
}

/**
 * Takes over the process's events while the work runs: test runners count every unhandled rejection as a failure,
 * while generated bodies are full of them.
 */
export async function withRejections<T>(work: (tracker: RejectionTracker) => Promise<T>): Promise<T> {
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  const unhandled = new Map<Promise<unknown>, unknown>();
  let kept: unknown[] = [];
  const onUnhandled = (reason: unknown, promise: Promise<unknown>): void => void unhandled.set(promise, reason);
  const onHandled = (promise: Promise<unknown>): void => void unhandled.delete(promise);
  process.on("unhandledRejection", onUnhandled);
  process.on("rejectionHandled", onHandled);
  try {
    return await work({
      begin: () => {
        unhandled.clear();
        kept = [];
      },
      settle: () => {
        kept = [...unhandled.values()];
      },
      reasons: () => kept,
    });
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    process.off("rejectionHandled", onHandled);
    for (const listener of before) process.on("unhandledRejection", listener);
  }
}
