export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits must not overlap; of two insertions at one place the first in the list stands first. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = edits
    .map((edit, order) => ({ ...edit, order }))
    .toSorted((a, b) => a.start - b.start || a.order - b.order);
  let text = "";
  let at = 0;
  for (const edit of ordered) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
