import type { Worker } from "node:worker_threads";
import type { SharedCells } from "../runloop/shared-cells.ts";
import type { FromKeeper, KeeperThreadData, ToKeeper } from "./messages.ts";
import { unpackError } from "./packed-error.ts";
import { spawnThread } from "./spawn.ts";

export interface KeeperWorkerOptions extends KeeperThreadData {
  readonly woken: () => void;
  readonly quarantined: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** The keeper in its thread; should that go down, another one is started and told of all owners. */
export class KeeperWorker {
  readonly #options: KeeperWorkerOptions;
  readonly #kept = new Map<string, SharedCells>();
  #worker: Worker | null = null;
  #closing = false;
  #closed: (() => void) | null = null;

  constructor(options: KeeperWorkerOptions) {
    this.#options = options;
  }

  open(): void {
    const { url, heartbeatMs } = this.#options;
    const data: KeeperThreadData = { url, heartbeatMs };
    const worker = spawnThread("keeper", { workerData: data });
    this.#worker = worker;
    worker.on("message", (message: FromKeeper) => this.#hear(message));
    worker.on("error", (error) => this.#options.warn("The thread that keeps leases went down", error));
    worker.on("exit", () => {
      this.#closed?.();
      if (!this.#closing) this.open();
    });
    for (const [id, cells] of this.#kept) this.#say({ kind: "keep", id, cells: cells.buffer });
  }

  keep(id: string, cells: SharedCells): void {
    this.#kept.set(id, cells);
    this.#say({ kind: "keep", id, cells: cells.buffer });
  }

  forget(id: string): void {
    this.#kept.delete(id);
    this.#say({ kind: "forget", id });
  }

  wake(): void {
    this.#say({ kind: "wake" });
  }

  async close(): Promise<void> {
    this.#closing = true;
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#say({ kind: "close" });
    });
  }

  #say(message: ToKeeper): void {
    this.#worker?.postMessage(message);
  }

  #hear(message: FromKeeper): void {
    switch (message.kind) {
      case "woken":
        return this.#options.woken();
      case "quarantine":
        return this.#options.quarantined();
      case "warn":
        return this.#options.warn(message.message, unpackError(message.error));
      case "closed":
        return this.#closed?.();
    }
  }
}
