import { z } from "zod";
import { EventOfRun, RunDetails, StepAttempt } from "./run.ts";
import { AnsweredTime } from "./time.ts";

/** What this release writes; another meaning gets another name. */
export const EXPORT_FORMAT = "cairn.run.v1";

const HISTORY_KINDS = ["start", "result", "error", "timer", "signal", "cancel", "undo", "rollback", "fork"] as const;

/** An input. Its value is a text, letter by letter as it is stored: what comes of it is compared with what came of it. */
const ExportedInput = z.strictObject({
  number: z.int().min(1),
  kind: z.enum(HISTORY_KINDS),
  call: z.string().nullable(),
  node: z.string().nullable(),
  name: z.string().nullable(),
  value: z.string().nullable(),
  atMs: z.number(),
  /** Of the effects that it had. */
  digest: z.string(),
  attempt: z.int().nullable(),
});

/** The state that a rollback or a fork went on from: it does not follow from the inputs before. */
export const ExportedSnapshot = z.strictObject({
  number: z.int(),
  base: z.int(),
  /** In base64. */
  bytes: z.base64(),
  open: z.string(),
});
export type ExportedSnapshot = z.infer<typeof ExportedSnapshot>;

/** A run with all that it takes to run it again, offline. */
export const ExportedRun = z.strictObject({
  format: z.literal(EXPORT_FORMAT, `is not ${EXPORT_FORMAT}: it is no exported run, or one of another release`),
  exportedAt: AnsweredTime,
  run: RunDetails,
  /** As it is stored. */
  payload: z.string(),
  version: z.strictObject({
    kind: z.enum(["workflow", "action"]),
    programHash: z.string(),
    program: z.unknown(),
    inputSchema: z.unknown(),
  }),
  history: z.array(ExportedInput),
  snapshots: z.array(ExportedSnapshot),
  attempts: z.array(StepAttempt),
  events: z.array(EventOfRun),
});
export type ExportedRun = z.infer<typeof ExportedRun>;
