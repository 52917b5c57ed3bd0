/** Values whose encoding is longer (in characters, which costs nothing to know) are stored as blobs: 256 KB. */
export const BLOB_THRESHOLD = 256 * 1024;

/**
 * What stands in the place of a value that is stored as a blob: `{"$blob":"<SHA-256 of its encoding, in hex>","bytes":<its
 * length>}`. How long it is counts before it is read: there may be no room for it.
 *
 * `$blob` is no tag of the encoding of values: an object of a user's that has such a key is written inside of `$object`, so
 * no value has this text. A text that has it all the same, whoever sent it, is stored as a blob itself, however short: what is
 * read is always what was written.
 */
const BEGIN = '{"$blob":"';
const DIGITS = 64;
const REFERENCE = /^\{"\$blob":"[0-9a-f]{64}","bytes":\d{1,10}\}$/;
const LENGTH_MAX = '{"$blob":"","bytes":}'.length + DIGITS + 10;

export function referenceTo(digest: string, bytes: number): string {
  return `${BEGIN}${digest}","bytes":${bytes}}`;
}

export function isReference(text: string): boolean {
  return text.length <= LENGTH_MAX && text.startsWith(BEGIN) && REFERENCE.test(text);
}

export function digestIn(reference: string): string {
  return reference.slice(BEGIN.length, BEGIN.length + DIGITS);
}

/** Of the value that a stored text stands for: bytes of a blob, or characters. */
export function lengthOf(stored: string | null): number {
  if (stored === null) return 0;
  return isReference(stored) ? Number(/\d+(?=\}$)/.exec(stored)![0]) : stored.length;
}

/** Whether a text is stored as a blob. A few comparisons for almost all: every value that is stored comes by here. */
export function needsBlob(text: string): boolean {
  return text.length > BLOB_THRESHOLD || isReference(text);
}
