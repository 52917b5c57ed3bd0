import { z } from "zod";
import { NAME_LENGTH_MAX } from "./limits.ts";

/** NUL, or half of a surrogate pair: with the flag `u` a pair is one character, and no surrogate. */
const NOT_STORABLE = /[\0\p{Surrogate}]/u;

/** Whether Postgres can hold it as text, and UTF-8 can carry it. */
export function isStorableText(text: string): boolean {
  return !NOT_STORABLE.test(text);
}

/**
 * Length first: what is too long is not searched. It is that of JavaScript, as in the engine: Zod's own `max` counts
 * characters, of which some have two units.
 */
export function storableText(lengthMin: number, lengthMax: number): z.ZodString {
  const length = `must be a text of ${lengthMin} to ${lengthMax} characters`;
  return z
    .string(length)
    .refine((text) => text.length >= lengthMin && text.length <= lengthMax, { error: length, abort: true })
    .refine(isStorableText, "has a character that cannot be stored: NUL, or half of a surrogate pair")
    .meta({ minLength: lengthMin, maxLength: lengthMax });
}

/** Of an action, a type, a version, a worker… */
export const Name = storableText(1, NAME_LENGTH_MAX);

/** That people choose, and that is shown to others: nothing in it moves a cursor, breaks a line, turns letters round or cannot be seen. */
export const ShownName = Name.regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u, "must have no control characters");

/** That stands in addresses too, where these two are none. */
export const PathName = ShownName.regex(/^(?!\.\.?$)/, "must not be . or ..");

/** A tenant's name is the first part of keys, and of the names of pools before a colon; of its archive, it is the folder. */
export const Namespace = z.string("must be a text").regex(/^(?!\.\.?$)[A-Za-z0-9._-]{1,100}$/, {
  error: (issue) =>
    /^\.\.?$/.test(String(issue.input))
      ? "must not be . or .., which are folders"
      : "must have 1 to 100 letters, digits, dots, hyphens and underscores",
});

/** A UUID of version 7, in small letters. */
export const RunId = z
  .string("must be a text")
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    "must be a UUID of version 7, in small letters",
  );

/** Of any version. */
export const Uuid = z
  .string("must be a text")
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, "must be a UUID, in small letters");

/** Where in a trace something belongs: version 00 of W3C's `traceparent`. */
export const Traceparent = z
  .string("must be a text")
  .regex(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/, "must be a traceparent of version 00");

/** SHA-256, as 64 digits of hex in small letters. */
export const Digest = z
  .string("must be a text")
  .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 of 64 hexadecimal digits, in small letters");
