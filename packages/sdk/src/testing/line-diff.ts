/** Beyond this many lines each, the two are shown one after the other. */
const LINES_MAX = 1000;

/** Lines of both in order: `+` only in what happened, `-` only in what was expected. */
export function lineDiff(actual: readonly string[], expected: readonly string[]): string {
  const lines =
    actual.length > LINES_MAX || expected.length > LINES_MAX ? oneByOne(actual, expected) : merged(actual, expected);
  return ["+ what happened, - what was expected", ...lines].join("\n");
}

function oneByOne(actual: readonly string[], expected: readonly string[]): string[] {
  return [...expected.map((line) => `- ${line}`), ...actual.map((line) => `+ ${line}`)];
}

/** Along a longest common subsequence. */
function merged(actual: readonly string[], expected: readonly string[]): string[] {
  const width = expected.length + 1;
  const common = new Uint16Array((actual.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = actual.length - 1; row >= 0; row--) {
    for (let column = expected.length - 1; column >= 0; column--) {
      common[row * width + column] =
        actual[row] === expected[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < actual.length || column < expected.length) {
    if (row < actual.length && column < expected.length && actual[row] === expected[column]) {
      lines.push(`  ${actual[row]}`);
      row++;
      column++;
    } else if (column >= expected.length || (row < actual.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`+ ${actual[row++]}`);
    } else {
      lines.push(`- ${expected[column++]}`);
    }
  }
  return lines;
}
