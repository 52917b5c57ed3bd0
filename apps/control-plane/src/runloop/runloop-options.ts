import type { BlobStore } from "../blobs/blob-store.ts";
import type { Queryable } from "../store/statement.ts";
import type { ClaimingOptions } from "./claiming.ts";
import type { DatabaseClock } from "./clock.ts";
import type { Outside } from "./outside.ts";
import type { Programs } from "./programs.ts";

export interface RunloopOptions extends ClaimingOptions {
  /** Of the database. */
  readonly incarnation: string;
  readonly commits: readonly Queryable[];
  /** Runs whose transitions are in one commit. */
  readonly batchMax: number;
  readonly programs: Programs;
  /** Where large values are. */
  readonly blobs: BlobStore;
  readonly clock: DatabaseClock;
  readonly random: () => number;
  readonly outside: Outside;
  /** Everything is dropped; whoever made this makes another one, under another id. */
  readonly lost: (error: unknown) => void;
}
