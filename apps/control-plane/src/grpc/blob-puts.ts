import type { ServerReadableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { BlobAssembly, blobRefFromProto, InvalidMessage, pb } from "@cairnjs/protocol";
import type { BlobRef } from "@cairnjs/schemas";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { Refused } from "../hub/refused.ts";
import type { Places } from "../places.ts";
import { type Holder, Shares } from "../shares.ts";
import { type Transfer, whileThere } from "./blob-transfer.ts";
import { Pace, WINDOW_MS } from "./pace.ts";

/** Of one blob that is put from outside: values have at most 16 MB, files in a workspace may have more. */
const PUT_BYTES_MAX = 64 * 1024 * 1024;
/** Of all that are being put, in memory; and of one tenant. */
const PUTTING_BYTES_OF_ALL = 256 * 1024 * 1024;
/** Up to here, slow ones do no harm. */
const PUTTING_BYTES_FREE = 64 * 1024 * 1024;
/** What a chunk takes at least, however little it brings. */
const CHUNK_BYTES_LEAST = 1024;

export type PutCall = ServerReadableStream<pb.PutBlobRequest, pb.PutBlobResponse>;

interface Arrived {
  readonly ref: BlobRef;
  readonly bytes: Uint8Array;
}

/** Owns: how many bytes of blobs are on their way in, of whom. They count when they have come: what is announced costs nothing. */
export class BlobPuts {
  readonly #stored: Places;
  readonly #windowMs: number;
  readonly #putting = new Shares({ all: PUTTING_BYTES_OF_ALL, ofCaller: PUTTING_BYTES_OF_ALL });

  constructor(stored: Places, windowMs = WINDOW_MS) {
    this.#stored = stored;
    this.#windowMs = windowMs;
  }

  /** Answers when the blob is durable. */
  async put(call: PutCall, putting: Transfer): Promise<pb.PutBlobResponse> {
    const { who, blobs } = putting;
    let reserved = 0;
    try {
      return await whileThere(call, putting, async (gone) => {
        const came = (chunk: Uint8Array): void => {
          reserved += this.#reserve(who, chunk.length);
        };
        const { ref, bytes } = await this.#arrived(call, gone, came);
        const existed = await this.#stored.within(who, 1, gone.signal, () => keep(blobs, ref, bytes));
        return create(pb.PutBlobResponseSchema, { existed });
      });
    } finally {
      this.#putting.add(who, -reserved);
    }
  }

  async #arrived(call: PutCall, gone: AbortController, came: (chunk: Uint8Array) => void): Promise<Arrived> {
    const pace = new Pace(this.#windowMs);
    const unwatch = pace.watch(() => this.#look(pace, gone));
    gone.signal.addEventListener("abort", () => call.destroy());
    try {
      let ref: BlobRef | null = null;
      let assembly: BlobAssembly | null = null;
      for await (const message of call as AsyncIterable<pb.PutBlobRequest>) {
        pace.moved(message.chunk.length);
        if (ref !== null && message.blob !== undefined) {
          throw new InvalidMessage("blob", "stands in the first message alone");
        }
        if (assembly === null) {
          ref = blobRefFromProto(message.blob);
          assembly = new BlobAssembly(ref, PUT_BYTES_MAX);
        }
        assembly.add(message.chunk);
        came(message.chunk);
      }
      if (ref === null || assembly === null) throw new InvalidMessage("blob", "is missing");
      return { ref, bytes: assembly.finish() };
    } finally {
      unwatch();
    }
  }

  #look(pace: Pace, gone: AbortController): void {
    const { isSilent, isSlow, windowMs } = pace;
    if (isSilent) gone.abort(new Refused("Unavailable", `Nothing came of a large value for ${windowMs} ms`));
    if (isSlow && this.#putting.all > PUTTING_BYTES_FREE) {
      gone.abort(new Refused("Unavailable", "A large value came too slowly while others were on their way"));
    }
  }

  #reserve(who: Holder, length: number): number {
    const bytes = Math.max(length, CHUNK_BYTES_LEAST);
    const usedUp = this.#putting.usedUp(who, bytes);
    if (usedUp === "all") {
      throw new Refused("Unavailable", "Too many large values are on their way to this control plane");
    }
    if (usedUp !== null) {
      throw new Refused("Unavailable", "Too many large values of the same namespace or caller are on their way");
    }
    this.#putting.add(who, bytes);
    return bytes;
  }
}

/** Whether it was there before. */
async function keep(blobs: BlobStore, { digest }: BlobRef, bytes: Uint8Array): Promise<boolean> {
  try {
    await blobs.get(digest);
    return true;
  } catch (error) {
    // One that is damaged, or cannot be read, is written again.
    if (!(error instanceof BlobError)) throw error;
    await blobs.put(bytes);
    return false;
  }
}
