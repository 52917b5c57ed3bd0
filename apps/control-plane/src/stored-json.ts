import { randomUUID } from "node:crypto";

/** Stands in a text where one that is stored belongs. Nobody outside of this process knows it, so nobody can have written it. */
const MARK = `stored ${randomUUID()}`;
const QUOTED = JSON.stringify(MARK);

let met: string[] | null = null;

/**
 * JSON that stands in an answer as it is stored: neither read nor written anew, however long it is. What is nested deeply can be read, but
 * `JSON.stringify` could not write it.
 */
export class StoredJson {
  readonly text: string;

  constructor(text: string) {
    this.text = oneLine(text);
  }

  toJSON(): unknown {
    if (met === null) return JSON.parse(this.text);
    met.push(this.text);
    return MARK;
  }
}

/** What SQL has stored may have been written in several lines; between tokens they mean nothing, and within a text there are none. */
export function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, " ") : json;
}

/** What `write` makes by `JSON.stringify`, with what is stored in it. */
export function writtenWith(write: () => string): string {
  const texts: string[] = [];
  met = texts;
  try {
    const written = write();
    if (texts.length === 0) return written;
    const parts = written.split(QUOTED);
    return parts.flatMap((part, index) => (index === 0 ? [part] : [texts[index - 1]!, part])).join("");
  } finally {
    met = null;
  }
}
