import { z } from "zod";
import { lengthGiven } from "./length-of-time.ts";
import { EventPattern } from "./outbox.ts";

/**
 * What is kept for a time: events of runs, events for others that were published, runs that have ended with all that belongs to
 * them, runs that were deleted, and who did what.
 */
export const RETAINED = ["events", "outbox", "runs", "deleted", "audit"] as const;
export type Retained = (typeof RETAINED)[number];

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
/** A hundred years: what is kept longer is kept for ever. */
const KEEP_MS_MAX = 36_525 * UNITS_MS.d;

/** How long: `30d`, or with s, m, h or w; or `forever`. */
export const Keep = z
  .string("must be a text such as 30d, or forever")
  .refine((text) => parseKeep(text) !== undefined, "must be a length of time such as 12h, 30d or 4w, or forever");

/** In milliseconds; null: for ever; undefined: it is none. */
export function parseKeep(text: string): number | null | undefined {
  if (text === "forever") return null;
  const ms = lengthGiven(text);
  // Whole seconds: that is what it is shown in.
  return ms !== null && ms % UNITS_MS.s === 0 && ms <= KEEP_MS_MAX ? ms : undefined;
}

/** In the largest unit that says it. */
export function keepText(keepMs: number | null): string {
  if (keepMs === null) return "forever";
  const [unit, ms] = Object.entries(UNITS_MS)
    .toReversed()
    .find(([name, length]) => name !== "w" && keepMs % length === 0 && (keepMs > 0 || name === "s")) ?? ["s", 1_000];
  return `${Math.round(keepMs / ms)}${unit}`;
}

/** Which rule: of events for others, `type` is theirs; of the audit log, the action; else that of runs. */
export const RetentionKey = z.strictObject({
  what: z.enum(RETAINED),
  /** A type, a beginning such as `billing.*`, or `*`. */
  type: EventPattern,
});
export type RetentionKey = z.infer<typeof RetentionKey>;

export const NewRetentionRule = z.strictObject({ ...RetentionKey.shape, keep: Keep });
export type NewRetentionRule = z.infer<typeof NewRetentionRule>;
