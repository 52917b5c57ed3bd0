import { createInterface } from "node:readline/promises";
import { CannotRun } from "../cannot-run.ts";

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether a person is there to be asked. */
  readonly isWatched: boolean;
}

/** People at a terminal are asked before something is done that cannot be undone; scripts know what they do. */
export async function confirm(question: string, isSure: boolean, terminal: Terminal = ownTerminal()): Promise<void> {
  const { input, output, isWatched } = terminal;
  if (isSure || !isWatched) return;
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new CannotRun("nothing was done");
}

/** The question stands beside the output, which may be data. */
function ownTerminal(): Terminal {
  const { stdin: input, stdout, stderr: output } = process;
  return { input, output, isWatched: input.isTTY && stdout.isTTY };
}
