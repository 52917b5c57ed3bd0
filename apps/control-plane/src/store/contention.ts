/** SQLSTATEs of statements that have failed because of others, and would not alone. */
const LOCK_TIMEOUT = "55P03";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const UNIQUE_VIOLATION = "23505";

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && codes.includes(code);
}

/** Whether another transaction stood in its way for too long. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, LOCK_TIMEOUT);
}

/** Whether others were in its way: asked again, it may succeed. */
export function isContention(error: unknown): boolean {
  return hasCode(error, LOCK_TIMEOUT, SERIALIZATION_FAILURE, DEADLOCK);
}

/**
 * Whether a start has failed because another transaction uses the same key or id, and has not ended, or has committed while
 * this one was waiting for it: then the run is there the next time.
 */
export function isHeldUp(error: unknown): boolean {
  return hasCode(error, LOCK_TIMEOUT, UNIQUE_VIOLATION);
}
