import { setMaxListeners } from "node:events";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { type pb, waitRequestFromProto, waitResponseToProto } from "@cairnjs/protocol";
import { fitsInBytes, INLINE_BYTES_MAX, type RunEnd, type WaitError } from "@cairnjs/schemas";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { OwnBlobs } from "../blobs/own-blobs.ts";
import { isReference } from "../blobs/reference.ts";
import type { Waiters } from "../library/waiters.ts";
import { Refused } from "../hub/refused.ts";
import { valueOfStored, valueOfText } from "../hub/values.ts";
import type { EndedNotice } from "../runloop/outside.ts";
import { drained } from "./drained.ts";
import type { StayingCaller } from "./staying-caller.ts";
import { codeOf, statusOf } from "./status.ts";

/** Runs that one stream waits for at one time. */
const WAITING_MAX = 100_000;
/** In one answer: a value has at most 256 KB there. */
const ENDS_MAX = 10;
/** Of values that are not taken yet, in characters. Those of further runs that have ended are asked for again when these are gone. */
const HELD_MAX = 1024 * 1024;

export type WaitCall = ServerDuplexStream<pb.WaitRequest, pb.WaitResponse>;

export interface WaitStreamOptions extends StayingCaller {
  readonly waiters: Waiters;
  readonly blobs: BlobStore;
  /** Of who is for one namespace alone; null: all. */
  readonly ownBlobs: OwnBlobs | null;
  /** Writes down who was refused, if it is that. */
  readonly refused: (error: unknown) => Promise<void>;
}

/** Someone who waits for runs: ids come in, ends go out, as fast as they are taken. */
export class WaitStream {
  readonly #call: WaitCall;
  readonly #options: WaitStreamOptions;
  readonly #gone = new AbortController();
  readonly #waiting = new Set<string>();
  #ends: { readonly end: RunEnd; readonly size: number }[] = [];
  /** Have ended, while there was no room for their values. */
  #later: { readonly namespace: string; readonly id: string }[] = [];
  #held = 0;
  #errors: WaitError[] = [];
  #sending = false;
  /** No further ids come. */
  #isLast = false;

  constructor(call: WaitCall, options: WaitStreamOptions) {
    this.#call = call;
    this.#options = options;
    // As many listen as there are runs that are waited for.
    setMaxListeners(0, this.#gone.signal);
    call.on("data", (message: pb.WaitRequest) => this.#take(message));
    call.on("end", () => {
      this.#isLast = true;
      this.#endIfDone();
    });
    for (const event of ["cancelled", "close", "error"]) call.on(event, () => this.#gone.abort());
    const unwatch = options.watch((why) => this.#fail(why));
    this.#gone.signal.addEventListener("abort", unwatch, { once: true });
    // It may have gone while it was asked who it is.
    if (call.cancelled || call.destroyed) this.#gone.abort();
  }

  #take(message: pb.WaitRequest): void {
    try {
      const { namespace, runIds } = waitRequestFromProto(message);
      this.#options.check(namespace);
      for (const id of runIds) this.#wait(namespace, id);
    } catch (error) {
      this.#fail(error);
    }
  }

  #wait(namespace: string, id: string): void {
    if (this.#waiting.has(id)) return;
    if (this.#waiting.size >= WAITING_MAX) {
      throw new Refused("InvalidMessage", `run_ids: one stream waits for at most ${WAITING_MAX} runs`);
    }
    this.#waiting.add(id);
    this.#ask(namespace, id);
  }

  #ask(namespace: string, id: string): void {
    this.#options.waiters
      .wait(namespace, id, this.#gone.signal)
      .then((ended) => this.#hold(namespace, ended))
      .catch((error: unknown) => this.#refuse(id, error))
      .finally(() => void this.#send());
  }

  async #hold(namespace: string, ended: EndedNotice): Promise<void> {
    if (this.#held >= HELD_MAX) return void this.#later.push({ namespace, id: ended.runId });
    const size = ended.value.length;
    this.#held += size;
    try {
      this.#ends.push({ end: await this.#describe(ended), size });
    } catch (error) {
      this.#held -= size;
      throw error;
    }
  }

  /** One that cannot be waited for is answered; when the control plane is closing, the stream ends. */
  #refuse(runId: string, error: unknown): void {
    const code = codeOf(error);
    if (code === null || code === "Closed") return this.#fail(error);
    this.#errors.push({ runId, error: { code, message: (error as Error).message } });
  }

  async #describe({ runId, status, value, trace }: EndedNotice): Promise<RunEnd> {
    const { blobs, ownBlobs } = this.#options;
    const sent = isReference(value) ? valueOfStored(value) : await valueOfText(blobs, value);
    if ("blob" in sent) await ownBlobs?.share(sent.blob.digest);
    return { runId, status, value: sent, trace: trace !== null && fitsInBytes(trace, INLINE_BYTES_MAX) ? trace : null };
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (!this.#gone.signal.aborted && this.#ends.length + this.#errors.length > 0) {
      const taken = this.#ends.splice(0, ENDS_MAX);
      const ends = taken.map(({ end }) => end);
      const errors = this.#errors.splice(0, ENDS_MAX);
      for (const { runId } of [...ends, ...errors]) this.#waiting.delete(runId);
      if (!this.#call.write(waitResponseToProto({ ends, errors }))) await drained(this.#call, this.#gone.signal);
      for (const { size } of taken) this.#held -= size;
    }
    this.#sending = false;
    if (this.#gone.signal.aborted) return this.#forget();
    if (this.#held < HELD_MAX)
      for (const { namespace, id } of this.#later.splice(0, ENDS_MAX)) this.#ask(namespace, id);
    this.#endIfDone();
  }

  #forget(): void {
    this.#ends = [];
    this.#later = [];
  }

  #endIfDone(): void {
    if (this.#isLast && this.#waiting.size === 0 && !this.#gone.signal.aborted) this.#call.end();
  }

  #fail(why: unknown): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    void this.#options.refused(why).then(() => this.#call.emit("error", statusOf(why)));
  }
}
