/** An error of the engine's, encoded. */
export function errorText(name: string, message: string): string {
  return JSON.stringify({ $error: { names: [name, "Error"], message } });
}

const SUMMARY_LENGTH_MAX = 500;

/** What `last_error` says of whatever nobody has a handler for: people look for this text. */
export const NO_HANDLER = "no_handler_registered";

/** One line for lists: the name and message of an encoded error, or the value that was thrown. */
export function summaryOf(encoded: string): string {
  const value = JSON.parse(encoded) as EncodedError | { readonly $def?: readonly [number, EncodedError] } | null;
  const error = isError(value) ? value.$error : definedError(value);
  if (error === undefined) return shortened(encoded);
  if (error.names[0] === "NoHandlerRegistered") return NO_HANDLER;
  return shortened(error.message === undefined ? error.names[0]! : `${error.names[0]}: ${error.message}`);
}

interface EncodedError {
  readonly $error: { readonly names: readonly string[]; readonly message?: string };
}

function isError(value: unknown): value is EncodedError {
  return typeof value === "object" && value !== null && "$error" in value;
}

function definedError(value: unknown): EncodedError["$error"] | undefined {
  if (typeof value !== "object" || value === null || !("$def" in value)) return undefined;
  const defined: unknown = (value.$def as readonly unknown[])[1];
  return isError(defined) ? defined.$error : undefined;
}

/** Postgres takes no NUL in text, and no half of a surrogate pair. */
export function shortened(text: string): string {
  return Buffer.from(text.slice(0, SUMMARY_LENGTH_MAX).replaceAll("\0", "\u2400")).toString();
}
