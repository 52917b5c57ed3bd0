/** The name that was probably meant, if one is near enough to be a slip of the fingers. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  // Of a single letter any other would be near.
  if (given.length < 2) return undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase()) - headStart(given, name);
    if (distance >= least || distance >= name.length) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

/** Who has begun a longer word rightly has probably meant it: `retires`, `retry`. */
function headStart(given: string, name: string): number {
  return given.slice(0, HEAD_LENGTH).toLowerCase() === name.slice(0, HEAD_LENGTH).toLowerCase() ? 1 : 0;
}

const HEAD_LENGTH = 3;

/** Letters to insert, remove, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped && row > 1 && column > 1) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      next.push(cost);
    }
    beforeLast = last;
    last = next;
  }
  return last[to.length]!;
}
