import { randomUUID } from "node:crypto";
import type { CallRunner, RunnerEvents } from "../hub/call-runner.ts";
import { CallTimes } from "../hub/call-times.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { Queryable } from "../store/statement.ts";
import { writeChunks } from "../store/stream-chunks.ts";
import type { EngineOptions } from "./engine-options.ts";
import { type LocalLoad, localRunner, type LocalRunnerOptions } from "./local-runner.ts";
import { Presence, type PresenceOptions } from "./presence.ts";
import { ServedSegments } from "./served-segments.ts";

export interface LocalActionsOptions {
  readonly settings: Pick<EngineOptions, "capacity" | "heartbeatMs" | "logger" | "codec" | "warn">;
  readonly namespace: string;
  /** Of this process, for people. */
  readonly address: string;
  readonly client: Queryable;
  readonly secrets: SecretStore;
  /** Jobs that are claimed here from now on. */
  readonly tellServed: (served: ReadonlyMap<string, number>) => void;
  /** Something that calls stream was written. */
  readonly streamed: () => void;
}

/**
 * The actions of this process, in library mode.
 *
 * Owns: how their calls go, which others are told of, and which jobs are claimed for them.
 */
export class LocalActions {
  readonly #options: LocalActionsOptions;
  readonly #presence: Presence;
  readonly #segments: ServedSegments;
  readonly #times = new CallTimes(performance.now());
  #load: LocalLoad = { running: 0, load: 0 };

  constructor(options: LocalActionsOptions) {
    const { namespace, address, client, settings, tellServed } = options;
    const { capacity, heartbeatMs, warn } = settings;
    this.#options = options;
    const id = `${address}:${randomUUID().slice(0, 8)}`;
    const status = (): ReturnType<PresenceOptions["status"]> => this.#status();
    this.#presence = new Presence({ id, namespace, address, capacity, heartbeatMs, status, client, warn });
    this.#segments = new ServedSegments(namespace, tellServed);
  }

  /** Jobs that are claimed for them, as runloops are told. */
  get served(): ReadonlyMap<string, number> {
    return this.#segments.served;
  }

  /** Names of actions, and of workflows, with a slash behind, whose steps are here. */
  async serve(names: ReadonlySet<string>): Promise<void> {
    await this.#presence.show(names);
    this.#segments.serve([...names].filter((name) => !name.endsWith("/")));
  }

  /** Who runs their calls. */
  runner<Owner>(events: RunnerEvents<Owner>): CallRunner<Owner> {
    const { settings, address, client, secrets, streamed } = this.#options;
    const { capacity, logger, codec, warn } = settings;
    const options: LocalRunnerOptions = {
      capacity,
      worker: address,
      times: this.#times,
      logger,
      opened: (load) => (this.#load = load),
      elsewhere: () => this.#presence.elsewhere(),
      leave: (segment, forMs) => this.#segments.leave(segment, forMs),
      codec,
      secrets: (namespace, names) => secrets.read(namespace, names),
      chunks: { write: (chunks) => writeChunks(client, chunks), written: streamed, warn },
    };
    return localRunner(options, events);
  }

  async close(): Promise<void> {
    this.#segments.close();
    // It may be that there is no database: then others notice by themselves.
    await this.#presence.close().catch(() => {});
  }

  #status(): ReturnType<PresenceOptions["status"]> {
    const { running, load } = this.#load;
    return { inFlight: running, queueDepth: load - running, ...this.#times.rates(performance.now()) };
  }
}
