import fc from "fast-check";
import { BLOB_CHUNK_BYTES } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { BlobAssembly, blobRefOf, chunksOf } from "../src/index.ts";

const BYTES_MAX = 1024 * 1024;

function assembled(bytes: Uint8Array, ref = blobRefOf(bytes)): Uint8Array {
  const assembly = new BlobAssembly(ref, BYTES_MAX);
  for (const chunk of chunksOf(bytes)) assembly.add(chunk);
  return assembly.finish();
}

describe("a blob in chunks", () => {
  it("is what it was, at the edges of chunks too", () => {
    for (const length of [0, 1, BLOB_CHUNK_BYTES - 1, BLOB_CHUNK_BYTES, BLOB_CHUNK_BYTES + 1, 3 * BLOB_CHUNK_BYTES]) {
      const bytes = Buffer.alloc(length, "blob");
      expect([...chunksOf(bytes)].length).toBe(Math.max(1, Math.ceil(length / BLOB_CHUNK_BYTES)));
      expect(Buffer.compare(assembled(bytes), bytes)).toBe(0);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect([...assembled(bytes)]).toEqual([...bytes]);
      }),
    );
  });

  const bytes = Buffer.from("hello");
  const ref = blobRefOf(bytes);

  it("is refused when it is not what was announced", () => {
    expect(ref.digest).toBe("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    expect(() => assembled(bytes, { ...ref, bytes: 4 })).toThrow("chunk brings more than the 4 bytes");
    expect(() => assembled(bytes, { ...ref, bytes: 6 })).toThrow(
      "blob.size_bytes must be how many bytes came: 5, not 6",
    );
    expect(() => assembled(bytes, { ...ref, digest: "0".repeat(64) })).toThrow("blob.digest must be that of");
  });

  it("is refused before it has arrived when it would be too long, and so is a long chunk", () => {
    expect(() => new BlobAssembly({ ...ref, bytes: BYTES_MAX + 1 }, BYTES_MAX)).toThrow(
      "blob.size_bytes must be at most 1048576",
    );
    const assembly = new BlobAssembly({ ...ref, bytes: BYTES_MAX }, BYTES_MAX);
    expect(() => assembly.add(new Uint8Array(BLOB_CHUNK_BYTES + 1))).toThrow("chunk must have at most 65536 bytes");
  });
});
