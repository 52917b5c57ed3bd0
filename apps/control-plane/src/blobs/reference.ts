/** Values whose encoding is longer (in characters, which costs nothing to know) are stored as blobs: 256 KB. */
export const BLOB_THRESHOLD = 256 * 1024;

/**
 * What stands in the place of a value that is stored as a blob: `{"$blob":"<SHA-256 of its encoding, in hex>"}`.
 *
 * `$blob` is no tag of the encoding of values: an object of a user's that has such a key is written inside of `$object`, so
 * no value has this text. A text that has it all the same, whoever sent it, is stored as a blob itself, however short: what is
 * read is always what was written.
 */
const BEGIN = '{"$blob":"';
const END = '"}';
const REFERENCE = /^\{"\$blob":"[0-9a-f]{64}"\}$/;
const LENGTH = BEGIN.length + 64 + END.length;

export function referenceTo(digest: string): string {
  return `${BEGIN}${digest}${END}`;
}

export function isReference(text: string): boolean {
  return text.length === LENGTH && REFERENCE.test(text);
}

export function digestIn(reference: string): string {
  return reference.slice(BEGIN.length, -END.length);
}

/** Whether a text is stored as a blob. Two comparisons for almost all: every value that is stored comes by here. */
export function needsBlob(text: string): boolean {
  return text.length > BLOB_THRESHOLD || (text.length === LENGTH && REFERENCE.test(text));
}
