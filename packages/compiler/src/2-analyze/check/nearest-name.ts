/** The known name that was probably meant: the same but for case, or one or two letters. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const text = written.toLowerCase();
  let best: string | undefined;
  let bestDistance = text.length > SHORT ? 2 : 1;
  for (const name of known) {
    const distance = editDistance(text, name.toLowerCase());
    if (distance > bestDistance || (distance === bestDistance && best !== undefined)) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

/** In names of so few letters, two of them make another word. */
const SHORT = 4;

/** Levenshtein's: how many letters must be added, removed or replaced. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of a.split("").entries()) {
    const line = [row + 1];
    for (const [column, other] of b.split("").entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
