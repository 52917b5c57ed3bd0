import type { BlobStore } from "../blobs/blob-store.ts";
import { Refused } from "../hub/refused.ts";
import { Places } from "../places.ts";
import type { Holder } from "../shares.ts";
import type { StayingCaller } from "./staying-caller.ts";

/** Blobs that are read or written at one time: of the connections to the database, others need some. */
const STORED_TOGETHER = 2;

/** Who puts or gets a blob. */
export interface Transfer {
  readonly who: Holder;
  /** Those that he may have. */
  readonly blobs: BlobStore;
  readonly watch: StayingCaller["watch"];
}

/** A call, as far as it tells that nobody is there any more. */
interface Leaving {
  readonly cancelled: boolean;
  once(event: "cancelled", told: () => void): unknown;
}

/** Who gets to the store, of those who put and get. */
export function storePlaces(): Places {
  const most = STORED_TOGETHER;
  const tooMany = "Too many large values of the same caller are on their way";
  return new Places({ all: most, ofTenant: most, ofCaller: most, tooMany });
}

/** Does it unless the call goes away, or whoever made it may no longer be here: rejects with the reason then. */
export async function whileThere<T>(
  call: Leaving,
  { watch }: Transfer,
  work: (gone: AbortController) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Refused("Unavailable", "Nobody is there any more"));
  call.once("cancelled", leave);
  // It may have gone while it was asked who it is.
  if (call.cancelled) leave();
  const unwatch = watch((why) => gone.abort(why));
  try {
    return await work(gone);
  } catch (error) {
    throw gone.signal.aborted ? gone.signal.reason : error;
  } finally {
    unwatch();
  }
}
