import { action, workflow } from "cairnjs";

type Change = { op: "keep" | "add" | "drop"; text: string };

const fetchVersion = action("fetchVersion", async (version: number) =>
  version === 1 ? "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta" : "alpha\ngamma\nbeta2\ndelta\nzeta\neta\ntheta",
);

/** Longest common subsequence by dynamic programming. */
function diffLines(before: readonly string[], after: readonly string[]): Change[] {
  const table: number[][] = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i]![j] =
        before[i] === after[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      changes.push({ op: "keep", text: before[i]! });
      (i++, j++);
    } else if (j >= after.length || (i < before.length && table[i + 1]![j]! >= table[i]![j + 1]!))
      changes.push({ op: "drop", text: before[i++]! });
    else changes.push({ op: "add", text: after[j++]! });
  }
  return changes;
}

function editDistance(a: string, b: string): number {
  let previous = [...b, ""].map((_, index) => index);
  for (const [i, x] of [...a].entries()) {
    const current = [i + 1];
    for (const [j, y] of [...b].entries())
      current.push(Math.min(previous[j + 1]! + 1, current[j]! + 1, previous[j]! + (x === y ? 0 : 1)));
    previous = current;
  }
  return previous.at(-1)!;
}

function patch(before: readonly string[], changes: readonly Change[]): string[] {
  const left = [...before];
  return changes.flatMap(({ op, text }) => {
    if (op === "add") return [text];
    const next = left.shift();
    if (next !== text) throw new RangeError(`§expected ${text}, found ${next}`);
    return op === "keep" ? [text] : [];
  });
}

const MARKS = { keep: " ", add: "+", drop: "-" } as const;

export default workflow("diff", async () => {
  const [before, after] = (await Promise.all([1, 2].map((version) => fetchVersion(version)))).map((text) =>
    text.split("\n"),
  );
  const changes = diffLines(before!, after!);
  const unified = changes.map(({ op, text }) => `${MARKS[op]}${text}`).join("\n");
  let conflict: unknown;
  try {
    patch(after!, changes);
  } catch (error) {
    conflict = error;
  }
  const distances = ["kitten/sitting", "flaw/lawn", "/abc", "naïve/naive", "same/same"].map((pair) =>
    editDistance(...(pair.split("/") as [string, string])),
  );
  return { unified, roundTrip: patch(before!, changes).join() === after!.join(), conflict, distances };
});
