import { rawBackoffMs, type RetryPolicy } from "@cairnjs/ir";

/** Up to a half more at random, so that many which failed together do not come back together. */
export function backoffMs(policy: RetryPolicy, failed: number, random: () => number): number {
  const raw = rawBackoffMs(policy, failed);
  return Math.round(raw + random() * (raw / 2));
}
