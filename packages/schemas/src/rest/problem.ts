import { z } from "zod";

/** RFC 9457, `application/problem+json`. */
export const Problem = z.strictObject({
  /** What the status is called. */
  title: z.string(),
  status: z.int(),
  /** One of `ERROR_CODES`, or `Internal`: the mistake is in the control plane. Others may come with later releases. */
  code: z.string(),
  /** For people. */
  detail: z.string(),
});
export type Problem = z.infer<typeof Problem>;
