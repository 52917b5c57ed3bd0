import { BlobError, type BlobStore } from "./blob-store.ts";
import { digestIn, isReference, needsBlob, referenceTo } from "./reference.ts";

/** What is stored in the place of a value: itself, or a reference to it, which is durable then. */
export async function storedForm(blobs: BlobStore, text: string): Promise<string> {
  return needsBlob(text) ? referenceTo(await blobs.put(Buffer.from(text))) : text;
}

/** The value that a stored text stands for. `what` of which run it is, for people. */
export async function valueOf(blobs: BlobStore, stored: string, runId: string, what: string): Promise<string> {
  if (!isReference(stored)) return stored;
  return (await blobOf(blobs, digestIn(stored), runId, what)).toString("utf8");
}

/** A blob that a run is made of; the error says which. */
export async function blobOf(blobs: BlobStore, digest: string, runId: string, what: string): Promise<Buffer> {
  try {
    return await blobs.get(digest);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const message = `${what} of the run ${runId} cannot be read. ${error.message}`;
    throw new BlobError(error.code, digest, message, { cause: error });
  }
}
