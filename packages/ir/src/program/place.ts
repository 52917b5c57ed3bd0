import type { ProgramDebug } from "./program.ts";

/** Where in the source something stands. */
export interface SourcePlace {
  readonly file: string;
  /** In the file; -1 if it is not known. */
  readonly offset: number;
  /** Both from 1; 0 if it is not known. */
  readonly line: number;
  readonly column: number;
}

/** A line of where a failure came from. */
export interface TraceLine extends SourcePlace {
  readonly function: string;
}

/** Where the instruction at a position of a function comes from. */
export function placeOf({ files, lines, functions }: ProgramDebug, index: number, position: number): SourcePlace {
  const { file, spans } = functions[index] ?? { file: -1, spans: [] };
  let offset = -1;
  for (let at = 0; at < spans.length && spans[at]! <= position; at += 2) offset = spans[at + 1]!;
  return { file: files[file] ?? "", offset, ...lineAndColumn(lines[file] ?? [], offset) };
}

function lineAndColumn(lengths: readonly number[], offset: number): { line: number; column: number } {
  if (offset < 0 || lengths.length === 0) return { line: 0, column: 0 };
  let line = 1;
  let start = 0;
  while (line < lengths.length && start + lengths[line - 1]! <= offset) start += lengths[line++ - 1]!;
  return { line, column: offset - start + 1 };
}
