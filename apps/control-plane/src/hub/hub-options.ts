import type { BlobStore } from "../blobs/blob-store.ts";
import type { ChunkWriterOptions } from "../chunks/chunk-writer.ts";
import type { CallOutcome } from "../runloop/outside.ts";
import type { Warn } from "../warn.ts";
import type { DetailsStore } from "./heartbeat-details.ts";
import type { ServedNames } from "./names.ts";

export interface HubOptions {
  /** Of this control plane. */
  readonly id: string;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  readonly blobs: BlobStore;
  readonly details: DetailsStore;
  /** A worker that may read everything has named a blob, for others of the namespace. */
  readonly vouched: (namespace: string, digest: string) => Promise<void>;
  /** Where what calls stream is written down. */
  readonly chunks: Omit<ChunkWriterOptions, "warn">;
  /** How often workers say at least that a call is running; one that is silent for three times as long is gone. */
  readonly heartbeatMs: number;
  /** How long calls wait for an action that all workers of its prefix lack. */
  readonly graceMs: number;
  readonly passOn: (namespace: string, outcomes: readonly CallOutcome[]) => Promise<ReadonlySet<string>>;
  readonly workersElsewhere: (namespace: string) => Promise<readonly ServedNames[]>;
  /** Workers have come or gone. */
  readonly fleetChanged: () => void;
  /** Workers are there for names that begin with these segments. */
  readonly joined: (namespace: string, segments: readonly string[]) => void;
  /** A call goes to a worker, after it has waited here. */
  readonly sent?: (waitedMs: number) => void;
  /** A worker has said how a try of an action has ended. */
  readonly ended?: (action: string, outcome: "result" | "error", durationMs: number) => void;
  /** Secrets of a namespace, by name: those that are there. */
  readonly secrets: (namespace: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly warn: Warn;
}
