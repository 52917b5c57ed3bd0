import { z } from "zod";
import { Name } from "../text.ts";
import { InPages, sortedBy } from "./page.ts";

/** Keys of one limit that are shown. */
export const LIMIT_KEYS_MAX = 100;

/** Limits of actions, by name. */
export const ListLimits = z.strictObject({
  ...InPages.shape,
  /** An action, or the beginning of actions: `billing.*`. */
  name: z.exactOptional(Name),
  sort: sortedBy(["name"], "name"),
});

/** What an action may do at one time, and in a length of time; and what it does. */
export const LimitSummary = z.strictObject({
  name: z.string(),
  /** Calls that may be open at one time, of each key; null: any number. */
  concurrency: z.int().nullable(),
  /** Calls that may begin within `perMs`, of each key; null: any number. */
  rate: z.strictObject({ limit: z.int(), perMs: z.int() }).nullable(),
  /** Calls that have a slot, and those that wait for their turn. */
  open: z.int(),
  waiting: z.int(),
  /** By key, those with most calls first; at most 100. Without a key, it is empty. */
  keys: z.array(z.strictObject({ key: z.string(), open: z.int(), waiting: z.int() })),
});
export type LimitSummary = z.infer<typeof LimitSummary>;
