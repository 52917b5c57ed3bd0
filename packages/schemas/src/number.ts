import { z } from "zod";
import { ATTEMPTS_MAX, DURATION_MS_MAX, PRIORITY_MAX, TIME_MS_MAX, TIME_MS_MIN } from "./limits.ts";

export function wholeNumber(min: number, max: number): z.ZodInt {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error, abort: true }).min(min, error).max(max, error);
}

/** Which try of a call: the first is 1. */
export const Attempt = wholeNumber(1, 2 ** 31 - 1);
export const MaxAttempts = wholeNumber(1, ATTEMPTS_MAX);
/** Higher ones first. */
export const Priority = wholeNumber(-PRIORITY_MAX, PRIORITY_MAX);
export const DurationMs = wholeNumber(0, DURATION_MS_MAX);
/** Milliseconds since the epoch, from the year 1 to 9999. */
export const TimeMs = wholeNumber(TIME_MS_MIN, TIME_MS_MAX);
