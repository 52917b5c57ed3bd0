import { BlobError, BlobStoreUnavailable } from "../blobs/blob-store.ts";
import { Diverged } from "../runloop/replay.ts";
import { EngineError } from "./engine-error.ts";

/** What cannot be read is an error of the engine's for whoever asks. */
export async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Diverged) throw new EngineError("Diverged", error.message, { cause: error });
    if (error instanceof BlobStoreUnavailable) throw new EngineError("Unavailable", error.message, { cause: error });
    if (!(error instanceof BlobError) || error.code === "InvalidDigest") throw error;
    throw new EngineError(error.code, error.message, { cause: error });
  }
}
