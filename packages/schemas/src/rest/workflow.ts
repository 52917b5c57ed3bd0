import { z } from "zod";
import { Name } from "../text.ts";
import { AnsweredTime } from "./time.ts";

/** What can be started: a workflow, or an action as a job. */
export const WorkflowSummary = z.strictObject({
  name: z.string(),
  kind: z.enum(["workflow", "action"]),
  /** The version that starts without a version have. */
  current: z.string(),
  since: AnsweredTime,
  versions: z.int(),
});
export type WorkflowSummary = z.infer<typeof WorkflowSummary>;

export const VersionSummary = z.strictObject({
  version: z.string(),
  programHash: z.string(),
  isCurrent: z.boolean(),
  maxAttempts: z.int(),
  tags: z.array(z.string()),
  createdAt: AnsweredTime,
});
export type VersionSummary = z.infer<typeof VersionSummary>;

export const WorkflowPath = z.strictObject({ name: Name });

export const PromoteBody = z.strictObject({ version: Name });

export const Promoted = z.strictObject({ name: z.string(), current: z.string() });
