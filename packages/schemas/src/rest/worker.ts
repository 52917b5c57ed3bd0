import { z } from "zod";
import { Name } from "../text.ts";
import { InPages, sortedBy } from "./page.ts";
import { AnsweredTime } from "./time.ts";

export const ListWorkers = z.strictObject({
  ...InPages.shape,
  worker: z.exactOptional(Name),
  /** The id of a control plane. */
  pool: z.exactOptional(Name),
  sort: sortedBy(["worker", "connectedAt", "lastSeen", "inFlight", "queueDepth"], "worker"),
});

/** A worker on a control plane: one that has streams to several is there several times. */
export const WorkerSummary = z.strictObject({
  namespace: z.string(),
  worker: z.string(),
  /** The id of the control plane, or of the process in library mode. */
  pool: z.string(),
  prefixes: z.array(z.string()),
  /** Of actions; of workflows whose steps it has, with a slash behind. */
  actions: z.array(z.string()),
  capacity: z.int(),
  inFlight: z.int(),
  queueDepth: z.int(),
  /** Calls that have ended since it is connected. */
  completed: z.int(),
  actionsPerSecond: z.number(),
  latencyP50Ms: z.number().nullable(),
  latencyP95Ms: z.number().nullable(),
  latencyP99Ms: z.number().nullable(),
  connectedAt: AnsweredTime,
  lastSeen: AnsweredTime,
});
export type WorkerSummary = z.infer<typeof WorkerSummary>;
