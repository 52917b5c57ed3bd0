import { z } from "zod";
import { isStorableText } from "./text.ts";
import { fitsInBytes } from "./value.ts";

/** In UTF-8: a key, a certificate, a file of credentials. */
export const SECRET_BYTES_MAX = 16 * 1024;
/** That one action needs. */
export const SECRETS_MAX = 10;

/** Letters that need no quotes in any shell or path. */
export const SecretName = z
  .string("must be a text")
  .regex(
    /^(?!\.\.?$)[A-Za-z0-9._-]{1,200}$/,
    "must have 1 to 200 letters, digits, dots, hyphens and underscores, and not be . or ..",
  );

/** The message never says what it was. */
export const SecretValue = z
  .string("must be a text")
  .refine(
    (text) => text !== "" && fitsInBytes(text, SECRET_BYTES_MAX),
    `must be a text of 1 to ${SECRET_BYTES_MAX} bytes`,
  )
  .refine(isStorableText, "has a character that cannot be stored: NUL, or half of a surrogate pair")
  .meta({ minLength: 1, maxLength: SECRET_BYTES_MAX });

/** A secret, by its name, on its way to whoever runs the call that needs it. */
export const GivenSecret = z.strictObject({ name: SecretName, value: SecretValue });
export type GivenSecret = z.infer<typeof GivenSecret>;
