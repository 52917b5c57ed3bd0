import { fitsInBytes, INLINE_BYTES_MAX, type Value } from "@cairnjs/schemas";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { digestIn, isReference, lengthOf, referenceTo } from "../blobs/reference.ts";

/** Whether a text travels as it is. */
export function isInline(text: string | null): boolean {
  return text === null || fitsInBytes(text, INLINE_BYTES_MAX);
}

/** A text as it travels: long ones are put into the blob store before. */
export async function valueOfText(blobs: BlobStore, text: string): Promise<Value> {
  if (isInline(text)) return { json: text };
  const bytes = Buffer.from(text);
  return { blob: { digest: await blobs.put(bytes), bytes: bytes.length } };
}

/** What travelled. A blob that is not there, or is no text, is a `BlobError`. */
export async function textOfValue(blobs: BlobStore, value: Value): Promise<string> {
  if ("json" in value) return value.json;
  const { digest, bytes: length } = value.blob;
  const bytes = await blobs.get(digest);
  if (bytes.length !== length) {
    throw new BlobError("BlobCorrupt", digest, `The blob ${digest} has ${bytes.length} bytes, and not ${length}`);
  }
  return bytes.toString("utf8");
}

/** As it is stored, if it is not to be looked at. */
export function storedValue(value: Value): string {
  return "json" in value ? value.json : referenceTo(value.blob.digest, value.blob.bytes);
}

export function valueOfStored(stored: string): Value {
  if (!isReference(stored)) return { json: stored };
  return { blob: { digest: digestIn(stored), bytes: lengthOf(stored) } };
}
