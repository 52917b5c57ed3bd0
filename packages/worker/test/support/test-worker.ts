import { onTestFinished } from "vitest";
import { Worker, type WorkerOptions } from "../../src/index.ts";
import { FakeControlPlane, type FakeOptions } from "./fake-control-plane.ts";

/** A control plane of the test, until it is over. */
export async function fakeControlPlane(options: FakeOptions = {}): Promise<FakeControlPlane> {
  const fake = await FakeControlPlane.open(options);
  onTestFinished(() => fake.kill());
  return fake;
}

/** A worker in this process, with the actions that the test file has declared. */
export function testWorker(url: string, options: Partial<WorkerOptions> = {}): Worker & { readonly lines: string[] } {
  const lines: string[] = [];
  const worker = new Worker({
    urls: [url],
    namespace: "default",
    token: null,
    certificates: () => ({ authority: null, own: null }),
    modules: [],
    prefixes: null,
    capacity: 10,
    threads: 2,
    drainMs: 1_000,
    flushMs: 0,
    recycleAfter: {},
    random: Math.random,
    log: (line) => lines.push(line),
    ...options,
  });
  worker.connect();
  onTestFinished(async () => {
    await worker.drain(0).catch(() => {});
  });
  return Object.assign(worker, { lines });
}
