import type { ServerReadableStream, ServerWritableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { BlobAssembly, blobRefFromProto, chunksOf, InvalidMessage, pb } from "@cairnjs/protocol";
import type { BlobRef } from "@cairnjs/schemas";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { Counts } from "../counts.ts";
import { Refused } from "../hub/refused.ts";

/** Of one blob that is put from outside: values have at most 16 MB, files in a workspace may have more. */
const PUT_BYTES_MAX = 64 * 1024 * 1024;
/** Of all that are being put, in memory; and of one caller, who may always have one. */
const PUTTING_BYTES_MAX = 256 * 1024 * 1024;
const PUTTING_BYTES_OF_ONE = 128 * 1024 * 1024;
/** How long nothing may come of one that is being put. */
const SILENCE_MS_MAX = 10_000;

export type PutCall = ServerReadableStream<pb.PutBlobRequest, pb.PutBlobResponse>;

/** Owns: how many bytes of blobs are on their way in, of whom. They count when they have come: what is announced costs nothing. */
export class BlobService {
  readonly #silenceMs: number;
  readonly #putting = new Counts();

  constructor(silenceMs = SILENCE_MS_MAX) {
    this.#silenceMs = silenceMs;
  }

  /** Answers when the blob is durable. `blobs` are those that the caller may have. */
  async put(call: PutCall, caller: string, blobs: BlobStore): Promise<pb.PutBlobResponse> {
    let reserved = 0;
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      call.destroy();
    }, this.#silenceMs);
    try {
      let ref: BlobRef | null = null;
      let assembly: BlobAssembly | null = null;
      for await (const message of call as AsyncIterable<pb.PutBlobRequest>) {
        timer.refresh();
        if (ref !== null && message.blob !== undefined) {
          throw new InvalidMessage("blob", "stands in the first message alone");
        }
        if (assembly === null) {
          ref = blobRefFromProto(message.blob);
          assembly = new BlobAssembly(ref, PUT_BYTES_MAX);
        }
        assembly.add(message.chunk);
        reserved += this.#reserve(caller, message.chunk.length);
      }
      clearTimeout(timer);
      if (ref === null || assembly === null) throw new InvalidMessage("blob", "is missing");
      return create(pb.PutBlobResponseSchema, { existed: await keep(blobs, ref, assembly.finish()) });
    } catch (error) {
      if (isSilent) throw new Refused("Unavailable", `Nothing came of a large value for ${this.#silenceMs} ms`);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#putting.add(caller, -reserved);
    }
  }

  /** In chunks, as fast as they are taken. */
  async get(call: ServerWritableStream<pb.GetBlobRequest, pb.GetBlobResponse>, blobs: BlobStore): Promise<void> {
    const { digest, bytes: length } = blobRefFromProto(call.request.blob);
    const bytes = await blobs.get(digest);
    if (bytes.length !== length) {
      throw new InvalidMessage("blob.size_bytes", `is ${length}, and the blob has ${bytes.length} bytes`);
    }
    for (const chunk of chunksOf(bytes)) {
      if (call.cancelled) return;
      if (call.write(create(pb.GetBlobResponseSchema, { chunk }))) continue;
      await new Promise<void>((resolve) => {
        call.once("drain", resolve);
        call.once("cancelled", resolve);
        call.once("close", resolve);
      });
    }
  }

  #reserve(caller: string, bytes: number): number {
    if (this.#putting.of(caller) + bytes > PUTTING_BYTES_OF_ONE) {
      throw new Refused("Unavailable", "Too many large values of the same caller are on their way");
    }
    if (this.#putting.all + bytes > PUTTING_BYTES_MAX) {
      throw new Refused("Unavailable", "Too many large values are on their way to this control plane");
    }
    this.#putting.add(caller, bytes);
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
