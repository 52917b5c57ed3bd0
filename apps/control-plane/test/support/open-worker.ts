import { Worker } from "@cairnjs/worker";
import { onTestFinished } from "vitest";

type Options = ConstructorParameters<typeof Worker>[0];

/** A worker of packages/worker in this process, until the test has ended. */
export function openWorker(port: number, prefixes: readonly string[], options: Partial<Options> = {}): Worker {
  const worker = new Worker({
    urls: [`127.0.0.1:${port}`],
    namespace: "default",
    token: null,
    certificates: () => ({ authority: null, own: null }),
    modules: [],
    prefixes,
    capacity: 10,
    threads: 1,
    drainMs: 0,
    flushMs: 5_000,
    recycleAfter: {},
    random: Math.random,
    log: () => {},
    ...options,
  });
  worker.connect();
  onTestFinished(async () => void (await worker.drain(0).catch(() => {})));
  return worker;
}
