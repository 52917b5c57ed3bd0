import { z } from "zod";
import { BLOB_BYTES_MAX, CHUNK_BYTES_MAX, INLINE_BYTES_MAX } from "./limits.ts";
import { wholeNumber } from "./number.ts";
import { Digest } from "./text.ts";

/** Whether a text has at most so many bytes in UTF-8. Only those of a length in between are counted. */
export function fitsInBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return false;
  return text.length * 3 <= bytesMax || new TextEncoder().encode(text).length <= bytesMax;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A text that travels where it stands. */
export const InlineText = z
  .string("must be a text")
  .refine((text) => fitsInBytes(text, INLINE_BYTES_MAX), {
    error: `has more than ${INLINE_BYTES_MAX} bytes: such a text is put as a blob, and referred to`,
    abort: true,
  })
  // With the flag `u`, a whole pair is one character and no surrogate.
  .refine((text) => !/\p{Surrogate}/u.test(text), "has half of a surrogate pair, which UTF-8 cannot carry");

/**
 * JSON, in Cairn's tagged encoding where it is a value. Only that it is JSON is looked at here: a text that is none would
 * be refused by the database, and with it the batch that it is in.
 */
export const InlineJson = InlineText.refine(isJson, "is not JSON");

/** The value of a chunk: small, since those who watch want to see it soon. */
export const ChunkJson = InlineJson.refine(
  (text) => fitsInBytes(text, CHUNK_BYTES_MAX),
  `has more than ${CHUNK_BYTES_MAX} bytes`,
);

/** Bytes in the blob store. */
export const BlobRef = z.strictObject({
  digest: Digest,
  bytes: wholeNumber(0, BLOB_BYTES_MAX),
});
export type BlobRef = z.infer<typeof BlobRef>;

/** A value in the tagged encoding: here, or in the blob store. */
export const Value = z.union([z.strictObject({ json: InlineJson }), z.strictObject({ blob: BlobRef })]);
export type Value = z.infer<typeof Value>;

/** A text of any kind, for instance a source file. */
export const LongText = z.union([z.strictObject({ text: InlineText }), z.strictObject({ blob: BlobRef })]);
export type LongText = z.infer<typeof LongText>;
