import type { Worker } from "node:worker_threads";
import type { SharedCells } from "../runloop/shared-cells.ts";
import type { FromKeeper, KeeperThreadData, ToKeeper } from "./messages.ts";
import { unpackError } from "./packed-error.ts";
import { RestartDelay, spawnThread } from "./spawn.ts";

export interface KeeperWorkerOptions extends KeeperThreadData {
  readonly woken: () => void;
  readonly quarantined: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** The keeper in its thread; should that go down, another one is started and told of all runloops. */
export class KeeperWorker {
  readonly #options: KeeperWorkerOptions;
  readonly #kept: SharedCells[] = [];
  #worker: Worker | null = null;
  readonly #delay = new RestartDelay();
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
    this.#delay.started();
    worker.on("message", (message: FromKeeper) => this.#hear(message));
    worker.on("error", (error) => this.#options.warn("The thread that keeps leases went down", error));
    worker.on("exit", () => {
      this.#closed?.();
      this.#worker = null;
      if (!this.#closing) setTimeout(() => this.#closing || this.open(), this.#delay.next());
    });
    for (const cells of this.#kept) this.#say({ kind: "keep", cells: cells.buffer });
  }

  keep(cells: SharedCells): void {
    this.#kept.push(cells);
    this.#say({ kind: "keep", cells: cells.buffer });
  }

  wake(): void {
    this.#say({ kind: "wake" });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#worker === null) return;
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
