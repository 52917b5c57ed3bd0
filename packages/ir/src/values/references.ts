import type { Frame } from "./encode-frame.ts";

/** A place in the text, still empty, where an object stands that was met before. */
export interface Reference<V> {
  readonly position: number;
  readonly target: Frame<V>;
}

/**
 * Writes `$def` around every object that references lead to, and `$ref` at the references. The numbers
 * follow the order in which objects were first met, which is known only at the end; inserting them then
 * spares a first walk that would read every getter and call every codec twice.
 *
 * No two insertions fall on one position: an object's text is never empty, and a reference always has
 * punctuation on both sides.
 */
export function insertReferences<V>(
  text: string,
  met: readonly Frame<V>[],
  references: readonly Reference<V>[],
): string {
  const targets = new Set(references.map((reference) => reference.target));
  const numbers = new Map<Frame<V>, number>();
  const insertions: { position: number; text: string }[] = [];
  for (const frame of met) {
    if (!targets.has(frame)) continue;
    const number = numbers.size;
    numbers.set(frame, number);
    insertions.push({ position: frame.start, text: `{"$def":[${number},` }, { position: frame.end, text: "]}" });
  }
  for (const { position, target } of references) {
    insertions.push({ position, text: `{"$ref":${numbers.get(target)!}}` });
  }
  insertions.sort((a, b) => a.position - b.position);

  const pieces: string[] = [];
  let copied = 0;
  for (const insertion of insertions) {
    pieces.push(text.slice(copied, insertion.position), insertion.text);
    copied = insertion.position;
  }
  pieces.push(text.slice(copied));
  return pieces.join("");
}
