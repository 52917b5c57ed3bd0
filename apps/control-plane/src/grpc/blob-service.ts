import type { ServerReadableStream, ServerWritableStream } from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { BlobAssembly, blobRefFromProto, chunksOf, InvalidMessage, pb } from "@cairnjs/protocol";
import type { BlobRef } from "@cairnjs/schemas";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { Refused } from "../hub/refused.ts";

/** Of one blob that is put from outside: values have at most 16 MB, files in a workspace may have more. */
const PUT_BYTES_MAX = 64 * 1024 * 1024;
/** Of all that are being put, in memory. */
const PUTTING_BYTES_MAX = 256 * 1024 * 1024;

/** Owns: how many bytes of blobs are on their way in. */
export class BlobService {
  readonly #blobs: BlobStore;
  #putting = 0;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Answers when the blob is durable. */
  async put(call: ServerReadableStream<pb.PutBlobRequest, pb.PutBlobResponse>): Promise<pb.PutBlobResponse> {
    let reserved = 0;
    try {
      let ref: BlobRef | null = null;
      let assembly: BlobAssembly | null = null;
      for await (const message of call as AsyncIterable<pb.PutBlobRequest>) {
        if (ref !== null && message.blob !== undefined) {
          throw new InvalidMessage("blob", "stands in the first message alone");
        }
        if (assembly === null) {
          ref = blobRefFromProto(message.blob);
          assembly = new BlobAssembly(ref, PUT_BYTES_MAX);
          reserved = this.#reserve(ref.bytes);
        }
        assembly.add(message.chunk);
      }
      if (ref === null || assembly === null) throw new InvalidMessage("blob", "is missing");
      return create(pb.PutBlobResponseSchema, { existed: await this.#keep(ref, assembly.finish()) });
    } finally {
      this.#putting -= reserved;
    }
  }

  /** In chunks, as fast as they are taken. */
  async get(call: ServerWritableStream<pb.GetBlobRequest, pb.GetBlobResponse>): Promise<void> {
    const { digest, bytes: length } = blobRefFromProto(call.request.blob);
    const bytes = await this.#blobs.get(digest);
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

  #reserve(bytes: number): number {
    if (this.#putting + bytes > PUTTING_BYTES_MAX) {
      throw new Refused("Unavailable", "Too many large values are on their way to this control plane");
    }
    this.#putting += bytes;
    return bytes;
  }

  /** Whether it was there before. */
  async #keep({ digest }: BlobRef, bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#blobs.get(digest);
      return true;
    } catch (error) {
      // One that is damaged, or cannot be read, is written again.
      if (!(error instanceof BlobError)) throw error;
      await this.#blobs.put(bytes);
      return false;
    }
  }
}
