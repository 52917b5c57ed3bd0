import { SILENT_HEARTBEATS } from "../hub/silence.ts";
import type { ServedNames } from "../hub/names.ts";
import {
  joinWorkers,
  keepControlPlane,
  leaveControlPlanes,
  updateWorkers,
  type WorkerMetrics,
  workersElsewhere,
} from "../store/fleet.ts";
import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";

export interface PresenceOptions {
  /** Of this engine alone. */
  readonly id: string;
  readonly namespace: string;
  /** Who it is, for people. */
  readonly address: string;
  readonly capacity: number;
  readonly client: Queryable;
  readonly heartbeatMs: number;
  /** How the calls of this process go. */
  readonly status: () => Omit<WorkerMetrics, "namespace" | "worker">;
  readonly warn: Warn;
}

/**
 * Owns: what the database says of the actions of this process, and the looks at those of others. In library mode a process
 * is a control plane that no worker is told of, and its own worker.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #names: readonly string[] = [];
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Names of actions, and of workflows with a slash behind: others leave their calls to this process from now on. */
  async show(names: Iterable<string>): Promise<void> {
    const { heartbeatMs, warn } = this.#options;
    this.#names = [...names];
    await this.#keep();
    await this.#join();
    this.#heartbeat ??= setInterval(() => {
      this.#beat().catch((error: unknown) => warn("Others cannot be told what this process runs", error));
    }, heartbeatMs);
  }

  /** What other processes run at the moment. */
  async elsewhere(): Promise<ServedNames[]> {
    const { client, namespace, id } = this.#options;
    const others = await workersElsewhere(client, namespace, id);
    return others.map(({ prefixes, actions }) => ({ prefixes, names: new Set(actions) }));
  }

  async close(): Promise<void> {
    if (this.#heartbeat === null) return;
    clearInterval(this.#heartbeat);
    await leaveControlPlanes(this.#options.client, this.#options.id);
  }

  async #beat(): Promise<void> {
    // Somebody took it for gone, and has removed what it said.
    if (await this.#keep()) await this.#join();
    const { client, id, namespace, address: worker, status } = this.#options;
    await updateWorkers(client, id, [{ namespace, worker, ...status() }]);
  }

  #keep(): Promise<boolean> {
    const { client, id, heartbeatMs } = this.#options;
    return keepControlPlane(client, { id, url: null }, SILENT_HEARTBEATS * heartbeatMs);
  }

  #join(): Promise<void> {
    const { client, id, namespace, address, capacity } = this.#options;
    return joinWorkers(client, id, [{ namespace, worker: address, prefixes: [], actions: this.#names, capacity }]);
  }
}
