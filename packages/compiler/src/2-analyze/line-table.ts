const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** Where the lines of a source start: made once, since a file with thousands of problems asks as often. */
export class LineTable {
  readonly #source: string;
  readonly #starts: number[] = [0];

  constructor(source: string) {
    this.#source = source;
    for (const match of source.matchAll(LINE_BREAK)) this.#starts.push(match.index + match[0].length);
  }

  get starts(): readonly number[] {
    return this.#starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Line and column, both from 1, of an offset in the source. */
  positionAt(offset: number): { line: number; column: number } {
    let line = 1;
    let after = this.#starts.length + 1;
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if (this.#startOf(middle) <= offset) line = middle;
      else after = middle;
    }
    return { line, column: offset - this.#startOf(line) + 1 };
  }

  /** A line by its number, without its break. */
  textOf(line: number): string {
    return this.#source.slice(this.#startOf(line), this.#startOf(line + 1)).replace(/[\n\r\u2028\u2029]+$/, "");
  }

  #startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#source.length;
  }
}
