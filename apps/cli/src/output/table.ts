import type { Output } from "./output.ts";

type Style = Parameters<Output["paint"]>[0];

/** A text in a table, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

const GAP = "  ";

/** Lines whose columns stand below each other. */
export function tableLines(
  output: Output,
  titles: readonly string[],
  rows: readonly (readonly (Cell | string)[])[],
): string[] {
  const cells = rows.map((row) => row.map((cell): Cell => (typeof cell === "string" ? { text: cell } : cell)));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => oneLine(row[column]?.text ?? "").length)),
  );
  const line = (row: readonly Cell[]): string =>
    row
      .map(({ text, style }, column) => {
        const shown = oneLine(text);
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

export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}
