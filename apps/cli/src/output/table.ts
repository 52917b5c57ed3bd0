import type { Output } from "./output.ts";

type Style = Parameters<Output["paint"]>[0];

/** A text in a table, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** What terminals obey: controls of ASCII and Latin-1, and those that turn the direction of letters; and what cannot be seen, but for what joins letters and pictures. */
const CONTROL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const COLOR_OR_CONTROL = new RegExp(`\\u001b\\[[0-9;]*m|${CONTROL.source}`, "gu");

const GAP = "  ";

/** Lines whose columns stand below each other. */
export function tableLines(
  output: Output,
  titles: readonly string[],
  rows: readonly (readonly (Cell | string)[])[],
): string[] {
  const cells = rows.map((row) => row.map((cell): Cell => (typeof cell === "string" ? { text: cell } : cell)));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => plainLine(row[column]?.text ?? "").length)),
  );
  const line = (row: readonly Cell[]): string =>
    row
      .map(({ text, style }, column) => {
        const shown = plainLine(text);
        const painted = style === undefined ? shown : output.paint(style, shown);
        return column === row.length - 1 ? painted : painted + " ".repeat(widths[column]! - shown.length);
      })
      .join(GAP)
      .trimEnd();
  return [line(titles.map((text) => ({ text, style: "dim" as const }))), ...cells.map(line)];
}

const NAME_WIDTH = 10;

/** What is said of one thing, a line for each name; without those of which there is nothing to say. */
export function tellAll(output: Output, said: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of said) {
    if (value !== "") output.line(`${output.paint("dim", name.padEnd(NAME_WIDTH))}${oneLine(value)}`);
  }
}

/** A text that may have colors of our own, in one line. */
export function oneLine(text: string): string {
  return withoutBreaks(text).replaceAll(COLOR_OR_CONTROL, (found) => (found.endsWith("m") ? found : escaped(found)));
}

/** A text of others in one line: it tells the terminal nothing. */
function plainLine(text: string): string {
  return withoutBreaks(text).replaceAll(CONTROL, escaped);
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

function escaped(control: string): string {
  const digits = control.codePointAt(0)!.toString(16);
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}
