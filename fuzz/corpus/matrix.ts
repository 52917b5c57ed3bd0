import { action, workflow } from "cairnjs";

type Matrix = number[][];

class ShapeError extends RangeError {}

const loadMatrix = action("loadMatrix", async (name: string): Promise<Matrix> =>
  name === "a"
    ? [
        [2, 1, -1],
        [-3, -1, 2],
        [-2, 1, 2],
      ]
    : [[8], [-11], [-3]],
);

const identity = (size: number): Matrix =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => Number(i === j)));
const transpose = (m: Matrix): Matrix => (m[0] ?? []).map((_, j) => m.map((row) => row[j]!));

function multiply(a: Matrix, b: Matrix): Matrix {
  if (a[0]?.length !== b.length) throw new ShapeError(`§${a.length}x${a[0]?.length} times ${b.length}x${b[0]?.length}`);
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => row.reduce((sum, value, index) => sum + value * column[index]!, 0)));
}

function determinant(m: Matrix): number {
  if (m.length === 0) return 1;
  const [first, ...rest] = m;
  return first!.reduce(
    (sum, value, j) =>
      sum + (j % 2 === 0 ? 1 : -1) * value * determinant(rest.map((row) => row.filter((_, k) => k !== j))),
    0,
  );
}

/** Gauss–Jordan elimination with pivoting, on copies. */
function solve(a: Matrix, b: Matrix): Matrix | null {
  const rows = a.map((row, i) => [...row, ...b[i]!]);
  const n = a.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    if (Math.abs(rows[pivot]![column]!) < 1e-12) return null;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const factor = rows[column]![column]!;
    rows[column] = rows[column]!.map((value) => value / factor);
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const scale = rows[row]![column]!;
      rows[row] = rows[row]!.map((value, k) => value - scale * rows[column]![k]!);
    }
  }
  return rows.map((row) => row.slice(n));
}

function power(m: Matrix, exponent: bigint): Matrix {
  let result = identity(m.length);
  for (let base = m, left = exponent; left > 0n; left >>= 1n, base = multiply(base, base))
    if (left & 1n) result = multiply(result, base);
  return result;
}

export default workflow("matrix", async () => {
  const [a, b] = await Promise.all([loadMatrix("a"), loadMatrix("b")]);
  const solution = solve(a, b)
    ?.flat()
    .map((value) => Number(value.toPrecision(12)));
  let mismatch: unknown = null;
  try {
    multiply(a, transpose(b));
  } catch (error) {
    mismatch = error;
  }
  return {
    solution,
    determinant: determinant(a),
    fibonacci: power(
      [
        [1, 1],
        [1, 0],
      ],
      40n,
    )[0]![1],
    singular: solve(
      [
        [1, 2],
        [2, 4],
      ],
      [[1], [2]],
    ),
    mismatch,
    transposed: transpose(a),
  };
});
