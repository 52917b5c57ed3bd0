import type { Refused } from "../hub/refused.ts";

/** Whoever has opened a stream that takes long. */
export interface StayingCaller {
  /** Throws if it may not be in this namespace. */
  readonly check: (namespace: string) => void;
  /** `Access.watch`. */
  readonly watch: (end: (why: Refused) => void) => () => void;
}
