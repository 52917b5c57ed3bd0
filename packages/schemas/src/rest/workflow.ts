import { z } from "zod";
import { Name } from "../text.ts";
import { InNamespace, InPages, sortedBy } from "./page.ts";
import { AnsweredTime, TimeText } from "./time.ts";

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

export const ListWorkflows = z.strictObject({
  ...InPages.shape,
  kind: z.exactOptional(z.enum(["workflow", "action"], "must be workflow or action")),
  /** A name, or the beginning of names: `billing.*`. */
  name: z.exactOptional(Name),
  sort: sortedBy(["name"], "name"),
});

export const ListVersions = z.strictObject({
  ...InPages.shape,
  /** Made of this program. */
  programHash: z.exactOptional(Name),
  /** Registered at this time or later; before this time. */
  since: z.exactOptional(TimeText),
  until: z.exactOptional(TimeText),
  sort: sortedBy(["createdAt", "version"], "-createdAt"),
});

/** What is registered under a name. */
export const WorkflowDetails = z.strictObject({
  ...WorkflowSummary.shape,
  /** JSON Schema of the input of the current version, in the tagged encoding; null: anything. */
  inputSchema: z.unknown(),
  maxAttempts: z.int(),
  tags: z.array(z.string()),
});
export type WorkflowDetails = z.infer<typeof WorkflowDetails>;

export const VersionDetails = z.strictObject({
  ...VersionSummary.shape,
  name: z.string(),
  kind: z.enum(["workflow", "action"]),
  inputSchema: z.unknown(),
  /** How long its runs stay with a process that says nothing, if that is not as usual. */
  leaseMs: z.int().nullable(),
  /** What its code looked like, each time it was registered with other texts; the newest first. */
  sources: z.array(z.strictObject({ sourceHash: z.string(), files: z.array(z.string()), createdAt: AnsweredTime })),
});
export type VersionDetails = z.infer<typeof VersionDetails>;

/** Of paths below `/v1/workflows/NAME/versions`. */
export const VersionPath = z.strictObject({ name: Name, version: Name });

/** Which of its sources; without it, the newest. */
export const ShowSource = z.strictObject({ ...InNamespace.shape, hash: z.exactOptional(Name) });

export const VersionSource = z.strictObject({
  name: z.string(),
  version: z.string(),
  sourceHash: z.string(),
  files: z.array(z.strictObject({ name: z.string(), text: z.string() })),
});
export type VersionSource = z.infer<typeof VersionSource>;

/** The instructions of a program, for people. */
export const VersionListing = z.strictObject({ name: z.string(), version: z.string(), listing: z.string() });
export type VersionListing = z.infer<typeof VersionListing>;

/** The durable calls of a program, and the ways from one to the next. */
export const VersionGraph = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Durable calls, and starts and ends of functions. */
  nodes: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.string(),
      /** What people call it. */
      label: z.string(),
      /** The function whose code holds it. */
      functionName: z.string(),
      /** Loops and branches around it, the outermost first. */
      within: z.array(z.string()),
    }),
  ),
  /** `undo` leads to a compensation; every other edge is a way that control may take. */
  edges: z.array(z.strictObject({ from: z.string(), to: z.string(), label: z.exactOptional(z.string()) })),
});
export type VersionGraph = z.infer<typeof VersionGraph>;

export const WorkflowPath = z.strictObject({ name: Name });

export const PromoteBody = z.strictObject({ version: Name });

export const Promoted = z.strictObject({ name: z.string(), current: z.string() });
