/** As `cairnjs` names it. */
const SEALED_NAME = "cairn.sealed";
/** A sealed value in an encoded text. Within a text of the value's own, quotes are escaped: there is none in there. */
const SEALED = /\{\s*"\$codec"\s*:\s*\[\s*"cairn\.sealed"\s*,\s*"[^"]*"\s*\]\s*\}/g;
const BLANK = '{"$codec":["cairn.sealed",""]}';

/** Whether something in it may be sealed. */
export function mayBeSealed(text: string): boolean {
  return text.includes(SEALED_NAME);
}

/**
 * What of an encoded value can be compared with what was sent before: all but what is sealed. A codec that encrypts makes another text
 * of the same value each time, and nobody here can open it.
 */
export function comparedText(text: string): string {
  return mayBeSealed(text) ? text.replace(SEALED, BLANK) : text;
}
