import type { Transition } from "../store/transition.ts";
import type { BlobStore } from "./blob-store.ts";
import { BLOB_THRESHOLD, needsBlob, referenceTo } from "./reference.ts";

/** Two digits a byte. */
const SNAPSHOT_HEX_MAX = 2 * BLOB_THRESHOLD;

const large = (value: string | null): boolean => value !== null && needsBlob(value);

/** Whether it has values that are stored as blobs. The outbox is for others to read: what it has stays there. */
export function hasLargeValues(transition: Transition): boolean {
  return (
    (transition.peek("history")?.some(({ value }) => large(value)) ?? false) ||
    (transition.peek("events")?.some(({ data }) => large(data)) ?? false) ||
    (transition.peek("ended")?.some(({ result, error }) => large(result) || large(error)) ?? false) ||
    (transition.peek("mail")?.some(({ value }) => large(value)) ?? false) ||
    (transition.peek("attempts")?.some(({ error }) => large(error)) ?? false) ||
    (transition.peek("children")?.some(({ payload }) => large(payload)) ?? false) ||
    (transition.peek("snapshots")?.some(({ bytes, open }) => largeSnapshot(bytes) || large(open)) ?? false)
  );
}

/**
 * Puts the large values of a transition into the store, equal ones once, and then references into the rows. Until all of
 * them are durable the transition is as it was.
 */
export async function storeLargeValues(transition: Transition, blobs: BlobStore): Promise<void> {
  const texts = new Map<string, Uint8Array>();
  const snapshots = new Map<string, Uint8Array>();
  eachValue(transition, (text) => {
    if (needsBlob(text) && !texts.has(text)) texts.set(text, Buffer.from(text));
    return text;
  });
  for (const { bytes } of transition.peek("snapshots") ?? []) {
    if (largeSnapshot(bytes)) snapshots.set(bytes!, Buffer.from(bytes!, "hex"));
  }
  const digests = await blobs.putMany([...texts.values(), ...snapshots.values()]);
  const digestOf = new Map([...texts.keys(), ...snapshots.keys()].map((text, index) => [text, digests[index]!]));
  eachValue(transition, (text) =>
    texts.has(text) ? referenceTo(digestOf.get(text)!, texts.get(text)!.byteLength) : text,
  );
  change(transition.peek("snapshots"), (row) => {
    if (!largeSnapshot(row.bytes)) return row;
    return { ...row, bytes: null, blob: digestOf.get(row.bytes!)!, blobBytes: row.bytes!.length / 2 };
  });
}

function largeSnapshot(bytes: string | null): boolean {
  return bytes !== null && bytes.length > SNAPSHOT_HEX_MAX;
}

/** Puts something in the place of each value. */
function eachValue(transition: Transition, replace: (text: string) => string): void {
  const replaced = (text: string | null): string | null => (text === null ? null : replace(text));
  change(transition.peek("history"), (row) => ({ ...row, value: replaced(row.value) }));
  change(transition.peek("events"), (row) => ({ ...row, data: replaced(row.data) }));
  change(transition.peek("ended"), (row) => ({ ...row, result: replaced(row.result), error: replaced(row.error) }));
  change(transition.peek("mail"), (row) => ({ ...row, value: replaced(row.value) }));
  change(transition.peek("attempts"), (row) => ({ ...row, error: replaced(row.error) }));
  change(transition.peek("children"), (row) => ({ ...row, payload: replace(row.payload) }));
  change(transition.peek("snapshots"), (row) => ({ ...row, open: replace(row.open) }));
}

function change<Row>(rows: Row[] | undefined, changed: (row: Row) => Row): void {
  rows?.forEach((row, index) => (rows[index] = changed(row)));
}
