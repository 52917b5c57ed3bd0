import { createHash, type Hash } from "node:crypto";
import { BLOB_CHUNK_BYTES, type BlobRef } from "@cairnjs/schemas";
import { InvalidMessage } from "./convert/invalid-message.ts";

export function blobRefOf(bytes: Uint8Array): BlobRef {
  return { digest: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
}

/** In order, without copies. Of nothing there is one empty chunk: its message is needed to name the blob. */
export function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start === 0 || start < bytes.length; start += BLOB_CHUNK_BYTES) {
    yield bytes.subarray(start, start + BLOB_CHUNK_BYTES);
  }
}

/** Puts a blob together from its chunks, and believes nobody. */
export class BlobAssembly {
  readonly #ref: BlobRef;
  readonly #chunks: Uint8Array[] = [];
  readonly #hash: Hash = createHash("sha256");
  #bytes = 0;

  /** What is announced as longer than `bytesMax` is refused before any of it has arrived. */
  constructor(ref: BlobRef, bytesMax: number) {
    if (ref.bytes > bytesMax) throw new InvalidMessage("blob.size_bytes", `must be at most ${bytesMax}`);
    this.#ref = ref;
  }

  add(chunk: Uint8Array): void {
    if (chunk.length > BLOB_CHUNK_BYTES) {
      throw new InvalidMessage("chunk", `must have at most ${BLOB_CHUNK_BYTES} bytes, and has ${chunk.length}`);
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#ref.bytes) {
      throw new InvalidMessage("chunk", `brings more than the ${this.#ref.bytes} bytes that were announced`);
    }
    this.#hash.update(chunk);
    // An empty chunk would cost memory and count for nothing.
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  finish(): Uint8Array {
    const { digest, bytes } = this.#ref;
    if (this.#bytes !== bytes) {
      throw new InvalidMessage("blob.size_bytes", `must be how many bytes came: ${this.#bytes}, not ${bytes}`);
    }
    const found = this.#hash.digest("hex");
    if (found !== digest) throw new InvalidMessage("blob.digest", `must be that of the bytes that came: ${found}`);
    return Buffer.concat(this.#chunks);
  }
}
