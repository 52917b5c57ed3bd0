/** More differences than this are another word. */
const DISTANCE_MAX = 5;

/** The name that someone meant who has mistyped one; null if none is like it. */
export function nearest(typed: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Math.min(DISTANCE_MAX, Math.floor(typed.length / 2)) + 1;
  for (const name of names) {
    const distance = distanceOf(typed, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

/** Letters to insert, to remove or to replace: Levenshtein's, a row of the table at a time. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = row[column - 1]! + (one[index] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
