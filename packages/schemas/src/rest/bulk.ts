import { z } from "zod";
import { ERROR_CODES } from "../error-codes.ts";
import { REASON_LENGTH_MAX } from "../limits.ts";
import { wholeNumber } from "../number.ts";
import { Name, storableText } from "../text.ts";
import { RunSummary } from "./run.ts";
import { RunFilterBody } from "./run-filter.ts";

export const BULK_ACTIONS = ["cancel", "pause", "resume", "retry", "delete", "restore", "signal"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** In one call: there is a cursor for the others. */
export const BULK_MAX = 1_000;
/** A dry run counts to here. */
export const COUNTED_MAX = 100_000;

/** Those that are not deleted are all of them, and every payload of an object or an array contains an empty one. */
function saysWhich({ deleted, contains, ...others }: RunFilterBody): boolean {
  const isEmpty = typeof contains === "object" && contains !== null && Object.keys(contains).length === 0;
  const said = [...Object.values(others), isEmpty ? undefined : contains];
  return deleted === true || said.some((each) => each !== undefined);
}

/** Something to be done with all runs of a filter, the newest first. */
export const BulkRunsBody = z.strictObject({
  action: z.enum(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(", ")}`),
  /** At least one thing must be said: `{"since":"1970-01-01T00:00:00Z"}` is all of them. */
  filter: RunFilterBody.refine(saysWhich, "must say which runs are meant"),
  /** Nothing is done: what would be, and the first of the runs. */
  dryRun: z.exactOptional(z.boolean()),
  /** Of a cancel or a delete. */
  reason: z.exactOptional(storableText(0, REASON_LENGTH_MAX)),
  /** Of a signal. */
  name: z.exactOptional(Name),
  value: z.exactOptional(z.unknown()),
  limit: wholeNumber(1, BULK_MAX).default(BULK_MAX),
  /** The `next` of the answer before. */
  cursor: z.exactOptional(z.string().max(1_000)),
});
export type BulkRunsBody = z.input<typeof BulkRunsBody>;

export const BulkRunsAnswer = z.strictObject({
  /** Of runs that were found; of a dry run, how many there are, up to 100,000. */
  matched: z.int(),
  /** Those for which it is durable that it happens; of a dry run, for which it would be, as they are now. */
  done: z.int(),
  /** Why others refuse it, how many, and some of them. */
  refused: z.array(
    z.strictObject({
      code: z.enum(ERROR_CODES),
      count: z.int(),
      detail: z.string(),
      ids: z.array(z.string()),
    }),
  ),
  /** Of a dry run: the first of them. */
  sample: z.array(RunSummary),
  /** If it is not null, there are others behind: the same request with it as `cursor`. */
  next: z.string().nullable(),
});
export type BulkRunsAnswer = z.infer<typeof BulkRunsAnswer>;
