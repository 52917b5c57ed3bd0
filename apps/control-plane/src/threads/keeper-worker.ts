import type { SharedCells } from "../runloop/shared-cells.ts";
import type { FromKeeper, KeeperThreadData, ToKeeper } from "./messages.ts";
import { unpackError } from "./packed-error.ts";
import { Thread } from "./thread.ts";
import type { Warn } from "../warn.ts";

export interface KeeperWorkerOptions extends KeeperThreadData {
  readonly woken: () => void;
  readonly quarantined: () => void;
  readonly warn: Warn;
}

/** The keeper in its thread; whichever thread that is, it is told of all runloops. */
export class KeeperWorker {
  readonly #options: KeeperWorkerOptions;
  readonly #kept: SharedCells[] = [];
  readonly #thread: Thread<ToKeeper, FromKeeper>;

  constructor(options: KeeperWorkerOptions) {
    this.#options = options;
    const { url, namespace, heartbeatMs, chunksKeptMs } = options;
    const workerData: KeeperThreadData = { url, namespace, heartbeatMs, chunksKeptMs };
    this.#thread = new Thread("keeper", {
      options: () => ({ workerData }),
      started: () => this.#kept.forEach((cells) => this.#tellOf(cells)),
      hear: (message) => this.#hear(message),
      failed: (error) => options.warn("The thread that keeps leases went down", error),
      gone: () => {},
    });
  }

  open(): void {
    this.#thread.start();
  }

  keep(cells: SharedCells): void {
    this.#kept.push(cells);
    this.#tellOf(cells);
  }

  wake(): void {
    this.#thread.say({ kind: "wake" });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #tellOf({ buffer }: SharedCells): void {
    this.#thread.say({ kind: "keep", cells: buffer });
  }

  #hear(message: FromKeeper): void {
    if (message.kind === "woken") this.#options.woken();
    else if (message.kind === "quarantine") this.#options.quarantined();
    else if (message.kind === "warn") this.#options.warn(message.message, unpackError(message.error));
  }
}
