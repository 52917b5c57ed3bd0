import { z } from "zod";
import { isStorableText, Name, RunId, storableText } from "../text.ts";
import { RUN_STATUSES } from "../transitions.ts";
import { oneOrSeveral } from "./page.ts";
import { RUN_PHASES } from "./run-phase.ts";
import { TimeText } from "./time.ts";

/** Of types, and of tags. */
const SEVERAL_MAX = 50;
const CONTAINS_LENGTH_MAX = 10_000;
const CONTAINS_DEPTH_MAX = 50;
const SEARCH_LENGTH_MAX = 1_000;

/** `true` or `false`, in a query. */
export const QueryBoolean = z.enum(["true", "false"], "must be true or false").transform((text) => text === "true");

/** A type, or the beginning of types: `billing.*`. */
const TypePattern = Name.refine(
  (text) => !text.slice(0, -1).includes("*"),
  "must have a star at its end alone, if it has one",
);

/** One or several, in a body; in a query, by giving the name several times. */
function several<Item extends z.ZodType<string>>(item: Item) {
  return z
    .union([item, z.array(item).min(1).max(SEVERAL_MAX)])
    .transform((given): string[] => (Array.isArray(given) ? given : [given as string]));
}

/** In a query, with commas between, too: none is expected in what is named so. */
function withCommas(item: z.ZodType<string, string>) {
  return several(z.string("must be a text"))
    .transform((given) => given.flatMap((text) => text.split(",")))
    .pipe(z.array(item).max(SEVERAL_MAX))
    .meta({ type: "array", items: { type: "string" }, minItems: 1, maxItems: SEVERAL_MAX });
}

function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return isStorableText(value);
  // What was too large for a number is written as null.
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= CONTAINS_DEPTH_MAX) return false;
  return Object.entries(value).every(([key, part]) => isStorableText(key) && isShallow(part, depth + 1));
}

/** JSON that `jsonb` of Postgres can hold. */
const Contained = z.unknown().refine(
  // Of a body that does not say it, nothing.
  (value) => value === undefined || (isShallow(value) && JSON.stringify(value).length <= CONTAINS_LENGTH_MAX),
  `must be JSON of at most ${CONTAINS_LENGTH_MAX} characters and ${CONTAINS_DEPTH_MAX} levels, without numbers that are too large, NUL and halves of surrogate pairs`,
);

function parsed(text: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON" });
    return z.NEVER;
  }
}

const common = {
  /** Started at this time or later. */
  since: z.exactOptional(TimeText),
  /** Started before this time. */
  until: z.exactOptional(TimeText),
  /** Runs that this one waits for, or has waited for. */
  parent: z.exactOptional(RunId),
  /** The name of the schedule that has started them. */
  schedule: z.exactOptional(Name),
  /** A text in payload, result, error or last error, in whatever case. What is stored as a blob is not looked into. */
  search: z.exactOptional(storableText(1, SEARCH_LENGTH_MAX)),
};

/** Which runs, in a query. */
export const RunFilterQuery = z.strictObject({
  ...common,
  type: z.exactOptional(withCommas(TypePattern)),
  status: z.exactOptional(oneOrSeveral(RUN_STATUSES)),
  phase: z.exactOptional(oneOrSeveral(RUN_PHASES)),
  tag: z.exactOptional(several(Name)),
  /** JSON that the payload contains, as `jsonb` of Postgres means it: `{"customer":{"id":17}}`. */
  contains: z.exactOptional(z.string().max(CONTAINS_LENGTH_MAX).transform(parsed).pipe(Contained)),
  /** Those that were deleted, and no others. */
  deleted: z.exactOptional(QueryBoolean),
});
export type RunFilterQuery = z.infer<typeof RunFilterQuery>;

/** Which runs, in a body. */
export const RunFilterBody = z.strictObject({
  ...common,
  type: z.exactOptional(several(TypePattern)),
  status: z.exactOptional(z.array(z.enum(RUN_STATUSES)).min(1)),
  phase: z.exactOptional(z.array(z.enum(RUN_PHASES)).min(1)),
  tag: z.exactOptional(several(Name)),
  contains: z.exactOptional(Contained),
  deleted: z.exactOptional(z.boolean()),
});
export type RunFilterBody = z.infer<typeof RunFilterBody>;
