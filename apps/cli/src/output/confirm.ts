import { createInterface } from "node:readline/promises";
import { CannotRun } from "../cannot-run.ts";

/** People at a terminal are asked before something is done that cannot be undone; scripts know what they do. */
export async function confirm(question: string, isSure: boolean): Promise<void> {
  if (isSure || process.stdin.isTTY !== true || process.stdout.isTTY !== true) return;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new CannotRun("nothing was done");
}
