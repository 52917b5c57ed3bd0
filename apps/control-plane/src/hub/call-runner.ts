import type { CallId, CallOutcome, Dispatch, TryId, UnservedCall } from "../runloop/outside.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { SecretReader } from "../outbox/secrets.ts";
import type { Queryable } from "../store/statement.ts";
import type { Room } from "../runloop/pools.ts";

/** What whoever runs calls tells the owners of runs, which are the runloops of its process. */
export interface RunnerEvents<Owner> {
  report(owner: Owner, outcomes: readonly CallOutcome[]): void;
  /** Nobody runs these tries any more. */
  strangers(owner: Owner, calls: readonly TryId[]): void;
  /** No worker can run these, or none has begun them; or one can again. */
  unserved(owner: Owner, calls: readonly UnservedCall[]): void;
  /** Workers are there for names that begin with these segments. */
  joined(namespace: string, segments: readonly string[]): void;
  /** There is more or less room than before. */
  roomChanged(): void;
}

/** Who runs the calls of a control plane: actions of its own process, or workers. */
export interface CallRunner<Owner> {
  /** For further jobs. */
  readonly room: Room;
  dispatch(owner: Owner, calls: readonly Dispatch[]): void;
  /** Calls that were open when their run was taken over. Returns those that certainly nobody runs; of others, it may say so later. */
  adopt(owner: Owner, calls: readonly Dispatch[]): TryId[];
  abort(calls: readonly CallId[]): void;
  /** Those that nobody has begun are given back (`unserved`). */
  recall(owner: Owner, calls: readonly TryId[]): void;
  acknowledge(calls: readonly TryId[]): void;
  /** The owner has begun another life: it knows nothing of what it was told. */
  reportAgain(owner: Owner): void;
  /** Resolves when nothing runs here that ends with the process. */
  idle(): Promise<void>;
}

/** What whoever runs calls uses of its engine. */
export interface RunnerEngine {
  readonly client: Queryable;
  readonly blobs: BlobStore;
  readonly secrets: SecretReader;
  tell(channel: "cairn_mail" | "cairn_chunks" | "cairn_work"): void;
}

/** How an engine gets whoever runs its calls. */
export type MakeRunner = <Owner>(events: RunnerEvents<Owner>, engine: RunnerEngine) => CallRunner<Owner>;

/** A try that was recalled before anybody had begun it. */
export function givenBack({ runId, call, attempt }: TryId): UnservedCall {
  return { runId, call, attempt, waitingFor: null, againInMs: 0 };
}
