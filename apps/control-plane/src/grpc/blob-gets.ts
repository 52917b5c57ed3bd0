import type { ServerWritableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { blobRefFromProto, chunksOf, InvalidMessage, pb } from "@cairnjs/protocol";
import type { BlobRef } from "@cairnjs/schemas";
import { Refused } from "../hub/refused.ts";
import { type Place, Places } from "../places.ts";
import { type Transfer, whileThere } from "./blob-transfer.ts";
import { Pace, WINDOW_MS } from "./pace.ts";

/** Of blobs that are read or on their way out, in memory: of all, and of one caller. Others wait. */
const SENDING_BYTES_OF_ALL = 256 * 1024 * 1024;
const SENDING_BYTES_OF_CALLER = 64 * 1024 * 1024;
/** Chunks of one that its call is given before they are on their way: 1 MB. */
const OUTGOING_MAX = 16;

export type GetCall = ServerWritableStream<pb.GetBlobRequest, pb.GetBlobResponse>;

interface Getting extends Transfer {
  /** Ends the connection: what was written to a stream stays in memory for as long as it is not read. */
  readonly cut: () => void;
}

/** Owns: how many bytes of blobs are on their way out, of whom. I1: nothing is read from the store before there is room for it. */
export class BlobGets {
  readonly #stored: Places;
  readonly #windowMs: number;
  readonly #room = new Places({
    all: SENDING_BYTES_OF_ALL,
    ofCaller: SENDING_BYTES_OF_CALLER,
    tooMany: "Too many large values for the same caller are on their way",
  });

  constructor(stored: Places, windowMs = WINDOW_MS) {
    this.#stored = stored;
    this.#windowMs = windowMs;
  }

  /** In chunks, as fast as they are taken. Who takes nothing, or takes little while others wait for the room, is cut off. */
  get(call: GetCall, getting: Getting): Promise<void> {
    return whileThere(call, getting, async (gone) => {
      const ref = blobRefFromProto(call.request.blob);
      // None has more, whatever is said of it.
      const size = Math.min(ref.bytes, SENDING_BYTES_OF_CALLER);
      await this.#room.within(getting.who, size, gone.signal, async (place) => {
        const bytes = await this.#read(ref, getting, gone.signal);
        await this.#send(call, bytes, place, getting, gone);
      });
    });
  }

  #read({ digest, bytes: length }: BlobRef, { who, blobs }: Getting, gone: AbortSignal): Promise<Buffer> {
    return this.#stored.within(who, 1, gone, async () => {
      const bytes = await blobs.get(digest);
      if (bytes.length === length) return bytes;
      throw new InvalidMessage("blob.size_bytes", `is ${length}, and the blob has ${bytes.length} bytes`);
    });
  }

  async #send(call: GetCall, bytes: Buffer, place: Place, { cut }: Getting, gone: AbortController): Promise<void> {
    const pace = new Pace(this.#windowMs);
    const unwatch = pace.watch(() => {
      const { isSilent, isSlow } = pace;
      if (!isSilent && !(isSlow && place.isInTheWay())) return;
      gone.abort(new Refused("Unavailable", "A large value was not taken"));
      cut();
    });
    try {
      const outgoing = new Outgoing(call, pace, gone.signal);
      for (const chunk of chunksOf(bytes)) if (!(await outgoing.send(chunk))) break;
      await outgoing.settled();
      gone.signal.throwIfAborted();
    } finally {
      unwatch();
    }
  }
}

/** Chunks that a call was given and that are not on their way. They hold all of their blob, so it has its room as long as there are any. */
class Outgoing {
  readonly #call: GetCall;
  readonly #pace: Pace;
  readonly #gone: AbortSignal;
  #count = 0;
  #wake = (): void => {};

  constructor(call: GetCall, pace: Pace, gone: AbortSignal) {
    this.#call = call;
    this.#pace = pace;
    this.#gone = gone;
    gone.addEventListener("abort", () => this.#wake());
    call.once("cancelled", () => this.#wake());
  }

  /** Resolves when it was given; to false if it is not wanted any more. */
  async send(chunk: Uint8Array): Promise<boolean> {
    await this.#until(() => this.#count < OUTGOING_MAX || this.#gone.aborted);
    if (this.#gone.aborted) return false;
    this.#count += 1;
    this.#call.write(create(pb.GetBlobResponseSchema, { chunk }), () => {
      this.#count -= 1;
      this.#pace.moved(chunk.length);
      this.#wake();
    });
    return true;
  }

  /** Nothing is left of it. */
  settled(): Promise<void> {
    return this.#until(() => this.#count === 0 || this.#call.cancelled);
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
