/** Whether Postgres can hold it as text: it has no NUL, and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && Buffer.from(text).toString() === text;
}
