import { DEFAULT_RETRY, type RetryPolicy } from "cairnjs/host";
import type { RetryOptions } from "cairnjs";

/** A hundred years, and what an attempt is counted in: what crosses borders between processes has these limits. */
const DURATION_MS_MAX = 3_155_760_000_000;
const ATTEMPTS_MAX = 2 ** 31 - 1;

/** Options may say half a millisecond, or for ever. */
export function retryPolicy(options: RetryOptions): RetryPolicy {
  const { attempts = DEFAULT_RETRY.attempts, baseMs = DEFAULT_RETRY.baseMs, capMs = DEFAULT_RETRY.capMs } = options;
  return { attempts: Math.min(attempts, ATTEMPTS_MAX), baseMs: wholeMs(baseMs), capMs: wholeMs(capMs) };
}

function wholeMs(ms: number): number {
  return Math.min(Math.ceil(ms), DURATION_MS_MAX);
}
