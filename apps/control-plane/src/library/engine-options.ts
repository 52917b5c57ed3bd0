import type { Logger } from "@cairnjs/worker/host";
import type { PayloadCodec } from "cairnjs";
import type { MakeRunner } from "../hub/call-runner.ts";
import type { RetentionSettings } from "../maintenance/maintenance.ts";
import type { Allowed } from "../outbox/allowed.ts";
import type { EventSink } from "../outbox/event-sink.ts";
import type { MasterKeys } from "../secrets/master-keys.ts";
import type { Warn } from "../warn.ts";

export interface EngineOptions {
  readonly url: string;
  /** Null: nothing is heard, so it is looked for. */
  readonly listenUrl: string | null;
  /** The one whose actions are here: runs of others are for other processes. Null: all, whose actions workers have. */
  readonly namespace: string | null;
  readonly leaseMs: number;
  /** Other lengths, each with a runloop of its own. */
  readonly leases: readonly number[];
  readonly heartbeatMs: number;
  /** How long it is kept what calls stream. */
  readonly chunksKeptMs: number;
  /** Runloops in threads of their own; 0: one, in this thread. */
  readonly runloops: number;
  /** Of each thread. */
  readonly memoryMb: number;
  /** Runs that one runloop holds in memory. */
  readonly heldMax: number;
  /** Runs whose transitions are in one commit. */
  readonly batchMax: number;
  /** Connections for what people ask. */
  readonly poolSize: number;
  /** What they may take there. */
  readonly heldBytesMax: number;
  /** Actions that run at one time in this process. */
  readonly capacity: number;
  /** Runs of schedules that one transaction starts. */
  readonly firingsMax: number;
  /** Who runs calls; without it, the actions of this process. */
  readonly runner?: MakeRunner;
  /** Where large values are; null: in the database. */
  readonly blobFolder: string | null;
  /** How long requests wait for a database that cannot be reached. */
  readonly patienceMs: number;
  /** Whether this process publishes events of the outbox. */
  readonly dispatches: boolean;
  /** Where events go that subscriptions name as ports. */
  readonly ports: Readonly<Record<string, EventSink>>;
  /** What of the process subscriptions may use; null: all of it. */
  readonly allowed: Allowed | null;
  /** Where handlers of this process log; null: on the console. */
  readonly logger: Logger | null;
  readonly retention: RetentionSettings;
  /** Data keys of secrets are wrapped by them; null: there are none, and no secrets. */
  readonly masterKeys: MasterKeys | null;
  /** For sealed values, where actions run here. */
  readonly codec: PayloadCodec | null;
  /** What it does that people may want to know, a line at a time. */
  readonly log: (line: string) => void;
  readonly warn: Warn;
}
