/** How an action is tried: settable in its declaration and for each call. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
}

/** Of an action that does not say. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 1_000, capMs: 5 * 60_000 };

/** Until the next try, after `failed` of them, without its random part: doubled each time up to the cap. */
export function rawBackoffMs({ baseMs, capMs }: RetryPolicy, failed: number): number {
  return Math.min(capMs, baseMs * 2 ** (failed - 1));
}
