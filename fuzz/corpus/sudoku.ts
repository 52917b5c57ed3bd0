import { action, progress, workflow } from "cairnjs";

const loadPuzzle = action("loadPuzzle", async (name: string) =>
  name === "easy"
    ? "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    : "11.......".padEnd(81, "."),
);

const ALL = 0b111111111;
const bits = (mask: number): number => {
  let count = 0;
  for (let left = mask; left; left &= left - 1) count++;
  return count;
};

type Grid = Uint8Array;

function solve(puzzle: string): { grid: Grid | null; tries: number } {
  const rows = Array.from({ length: 9 }, () => ALL);
  const columns = [...rows];
  const boxes = [...rows];
  const grid = new Uint8Array(81);
  let tries = 0;
  const boxOf = (cell: number): number => ((cell / 27) | 0) * 3 + (((cell % 9) / 3) | 0);
  const free = (cell: number): number => rows[(cell / 9) | 0]! & columns[cell % 9]! & boxes[boxOf(cell)]!;
  const toggle = (cell: number, bit: number): void => {
    rows[(cell / 9) | 0]! ^= bit;
    columns[cell % 9]! ^= bit;
    boxes[boxOf(cell)]! ^= bit;
  };
  for (const [cell, digit] of [...puzzle].entries()) {
    if (digit === ".") continue;
    const bit = 1 << (Number(digit) - 1);
    if (!(free(cell) & bit)) return { grid: null, tries };
    toggle(cell, bit);
    grid[cell] = Number(digit);
  }
  const place = (): boolean => {
    let best = -1;
    let fewest = 10;
    for (let cell = 0; cell < 81; cell++) {
      if (grid[cell] !== 0) continue;
      const count = bits(free(cell));
      if (count < fewest) [best, fewest] = [cell, count];
      if (count === 0) return false;
    }
    if (best === -1) return true;
    for (let left = free(best); left !== 0; left &= left - 1) {
      const bit = left & -left;
      tries++;
      toggle(best, bit);
      grid[best] = Math.log2(bit) + 1;
      if (place()) return true;
      toggle(best, bit);
      grid[best] = 0;
    }
    return false;
  };
  return { grid: place() ? grid : null, tries };
}

export default workflow("sudoku", async () => {
  const results: unknown[] = [];
  for (const name of ["easy", "impossible"]) {
    const puzzle = await loadPuzzle(name);
    const { grid, tries } = solve(puzzle);
    progress({ name, tries });
    results.push(
      grid === null ? null : Array.from({ length: 9 }, (_, row) => grid.slice(row * 9, row * 9 + 9).join("")),
    );
    results.push(grid);
  }
  return results;
});
