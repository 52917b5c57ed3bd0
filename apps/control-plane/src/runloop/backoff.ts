/** How an action is tried: settable in its declaration and for each call. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 1_000, capMs: 5 * 60_000 };

/**
 * Until the next try, after `failed` of them: doubled each time up to the cap, and up to a half more at random, so that
 * many which failed together do not come back together.
 */
export function backoffMs({ baseMs, capMs }: RetryPolicy, failed: number, random: () => number): number {
  const raw = Math.min(capMs, baseMs * 2 ** (failed - 1));
  return Math.round(raw + random() * (raw / 2));
}
