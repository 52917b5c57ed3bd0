import { z } from "zod";
import { AnsweredTime } from "./time.ts";

/** How a control plane is. */
export const Health = z.strictObject({
  controlPlane: z.string(),
  ready: z.boolean(),
  /** The database's time. */
  now: AnsweredTime,
});
export type Health = z.infer<typeof Health>;

/** The process lives. */
export const Live = z.strictObject({ status: z.literal("alive") });

/** It does what it is for. */
export const Ready = z.strictObject({ status: z.literal("ready") });
