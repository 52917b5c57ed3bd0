import { z } from "zod";

/** Short enough to have a number behind it, and be a key. */
const KEY_LENGTH_MAX = 200;

/** A request that is repeated under the same key is made once. */
export const WithIdempotencyKey = z.looseObject({
  "idempotency-key": z.exactOptional(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, "must have printable ASCII characters alone, and no space")
      .max(KEY_LENGTH_MAX),
  ),
});
