import type { Judgement, Verdict } from "./judge.ts";

const VERDICTS: readonly Verdict[] = ["passed", "trimmed", "rejected", "refused", "alike", "skipped", "failed"];
const REASONS_SHOWN = 30;

/** How many tests of each folder ended how, and why tests were rejected or refused most often. */
export function reportOf(judgements: readonly Judgement[]): string {
  const folders = [...new Set(judgements.map(({ path }) => folderOf(path)))];
  const rows = folders.map((folder) =>
    row(
      folder,
      judgements.filter(({ path }) => folderOf(path) === folder),
    ),
  );
  const table = [["", ...VERDICTS], ...rows, row("all", judgements)];
  const reasons = (["rejected", "refused"] as const).map(
    (verdict) =>
      `Most frequent reasons of tests ${verdict} (tests with this reason, with no other):\n${reasonsOf(judgements, verdict)}`,
  );
  return [table.map(aligned).join("\n"), ...reasons].join("\n\n");
}

export function failuresOf(judgements: readonly Judgement[]): string {
  return judgements
    .filter(({ verdict }) => verdict === "failed")
    .map(({ path, reasons }) => `${path}\n    ${reasons.join("\n    ")}`)
    .join("\n");
}

function folderOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function row(name: string, judgements: readonly Judgement[]): string[] {
  return [name, ...VERDICTS.map((verdict) => String(judgements.filter((one) => one.verdict === verdict).length))];
}

function aligned([name, ...cells]: readonly string[]): string {
  return `${name!.padEnd(42)}${cells.map((cell) => cell.padStart(10)).join("")}`;
}

function reasonsOf(judgements: readonly Judgement[], verdict: Verdict): string {
  const counts = new Map<string, { all: number; alone: number }>();
  for (const { reasons } of judgements.filter((one) => one.verdict === verdict)) {
    const kinds = new Set(reasons.map(kindOf));
    for (const kind of kinds) {
      const { all, alone } = counts.get(kind) ?? { all: 0, alone: 0 };
      counts.set(kind, { all: all + 1, alone: alone + (kinds.size === 1 ? 1 : 0) });
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b.all - a.all)
    .slice(0, REASONS_SHOWN)
    .map(([kind, { all, alone }]) => `${String(all).padStart(7)}${String(alone).padStart(7)}  ${kind}`)
    .join("\n");
}

/** Names of the test's own differ from test to test; the diagnostic's code tells the reason. */
function kindOf(reason: string): string {
  const code = /^CAIRN\d+/.exec(reason)?.[0];
  if (code === undefined) return reason.replaceAll(/\d+/g, "N");
  return ["CAIRN2001", "CAIRN2024", "CAIRN1027", "CAIRN1003", "CAIRN1001"].includes(code) ? code : reason;
}
