import { z } from "zod";

const ERROR = "must be a time such as 2026-11-15T21:30:00Z";

/** A time as people write it, of any time zone, with its offset. */
export const TimeText = z.iso
  .datetime({ offset: true, error: ERROR, abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), ERROR);

/** A time as it is answered: in UTC, with milliseconds. */
export const AnsweredTime = z.iso.datetime();
