import type { ActionLog } from "cairnjs";
import {
  type ActionContext,
  ChunkGate,
  decodeCopy,
  encodeCopy,
  type EncodedChunk,
  ENGINE_ERRORS,
  giveSecrets,
  type GivenSecrets,
  type LazyAbort,
  redactingLog,
} from "cairnjs/host";
import { actionLog, type Logger } from "./log.ts";
import { callKey, type CallNotes, type Dispatch } from "./calls.ts";

/** Who hears what a handler says of itself, encoded. */
export interface Told {
  tell(details: string): void;
  stream(chunk: EncodedChunk): Promise<void>;
}

/**
 * What a handler may know of its attempt. A class: what it is rarely asked for is made when it is. Handlers take it apart,
 * so its functions need no `this`.
 */
export class CallContext implements ActionContext {
  readonly #dispatch: Dispatch;
  readonly #notes: CallNotes | null;
  readonly #abort: LazyAbort;
  readonly #told: Told;
  readonly #logger: Logger | null;
  readonly #secrets: GivenSecrets | undefined;
  #gate: ChunkGate | null = null;
  #hasEnded = false;

  /** `secrets`: those that the action needs; undefined if it needs none. */
  constructor(
    dispatch: Dispatch,
    notes: CallNotes | null,
    abort: LazyAbort,
    told: Told,
    logger: Logger | null,
    secrets?: GivenSecrets,
  ) {
    if (secrets !== undefined) giveSecrets(this, secrets);
    this.#secrets = secrets;
    this.#dispatch = dispatch;
    this.#notes = notes;
    this.#abort = abort;
    this.#told = told;
    this.#logger = logger;
  }

  /** Its handler has ended: what it streams from now on is refused. */
  end(): void {
    this.#hasEnded = true;
    this.#gate?.close();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get attempt(): number {
    return this.#dispatch.attempt;
  }

  get idempotencyKey(): string {
    return this.#notes?.idempotencyKey ?? callKey(this.#dispatch);
  }

  get runId(): string {
    return this.#dispatch.runId;
  }

  get call(): string {
    return this.#dispatch.call;
  }

  get action(): string {
    return this.#dispatch.action;
  }

  get deadline(): Date | null {
    const { deadline } = this.#dispatch;
    return deadline === null ? null : new Date(deadline);
  }

  get log(): ActionLog {
    return redactingLog(actionLog(this.#dispatch, this.#logger), this.#secrets);
  }

  get heartbeat(): (details?: unknown) => void {
    return (details) => {
      const { text } = encodeCopy(details, "details");
      // One without details says that the attempt is alive, as its worker does anyway, and leaves what was told before.
      if (details !== undefined) this.#told.tell(text);
    };
  }

  get stream(): (chunk: unknown) => Promise<void> {
    if (this.#gate === null) {
      this.#gate = new ChunkGate(this.#dispatch.action, () => this.log);
      if (this.#hasEnded) this.#gate.close();
    }
    const gate = this.#gate;
    return (chunk) => gate.send(chunk, (encoded) => this.#told.stream(encoded));
  }

  get heartbeatDetails(): unknown {
    const text = this.#notes?.heartbeatDetails ?? null;
    return text === null ? undefined : decodeCopy({ text, classes: ENGINE_ERRORS });
  }
}
