import { setTimeout as delay } from "node:timers/promises";
import { BlobError, type BlobStore, BlobStoreUnavailable } from "./blob-store.ts";
import { digestIn, isReference, needsBlob, referenceTo } from "./reference.ts";

/** A store that does not answer is asked so often, after so long: who cannot read a value can only give up everything. */
const READ_TRIES_MAX = 5;
const READ_AGAIN_MS = 100;

/** What is stored in the place of a value: itself, or a reference to it, which is durable then. */
export async function storedForm(blobs: BlobStore, text: string): Promise<string> {
  if (!needsBlob(text)) return text;
  const bytes = Buffer.from(text);
  return referenceTo(await blobs.put(bytes), bytes.length);
}

/** The value that a stored text stands for. `what` of which run it is, for people. */
export async function valueOf(blobs: BlobStore, stored: string, runId: string, what: string): Promise<string> {
  if (!isReference(stored)) return stored;
  return (await blobOf(blobs, digestIn(stored), runId, what)).toString("utf8");
}

/** A blob that a run is made of; the error says which. */
export async function blobOf(blobs: BlobStore, digest: string, runId: string, what: string): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      return await blobs.get(digest);
    } catch (error) {
      const message = `${what} of the run ${runId} cannot be read. ${(error as Error).message}`;
      if (error instanceof BlobError) throw new BlobError(error.code, digest, message, { cause: error });
      if (tries === READ_TRIES_MAX) throw new BlobStoreUnavailable(message, { cause: error });
      await delay(READ_AGAIN_MS * tries);
    }
  }
}
