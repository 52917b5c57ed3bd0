import { NotAnExport, type ReplayedRun, replayRun } from "@cairnjs/control-plane/operator";
import { CannotRun } from "../cannot-run.ts";
import { linesOf } from "../output/lines-file.ts";
import type { Output } from "../output/output.ts";
import { Progress } from "../output/progress.ts";

export interface ReplayFlags {
  readonly json?: true;
}

/** `cairn replay FILE`: delivers all inputs of exported runs to the VM again; 1 if one of them does otherwise than it did. */
export async function replayCommand(file: string, flags: ReplayFlags, output: Output): Promise<number> {
  const progress = new Progress(output, "replaying");
  const replayed: ReplayedRun[] = [];
  let line = 0;
  for await (const text of linesOf(file)) {
    line += 1;
    const run = await replayLine(file, line, text, () => progress.show(line, null));
    replayed.push(run);
    if (flags.json !== true) output.line(toldRun(run, output));
  }
  progress.end();
  if (line === 0) throw new CannotRun(`${file} has no runs in it: it is made by cairn runs export`);
  const diverged = replayed.filter((run) => run.diverged !== null).length;
  if (flags.json === true) output.line(JSON.stringify({ runs: replayed, diverged }));
  else if (replayed.length > 1)
    output.line(`${replayed.length} runs, ${diverged === 0 ? "none does" : `${diverged} do`} otherwise than then`);
  return diverged === 0 ? 0 : 1;
}

async function replayLine(file: string, line: number, text: string, delivered: () => void): Promise<ReplayedRun> {
  try {
    return await replayRun(JSON.parse(text) as unknown, delivered);
  } catch (error) {
    const where = `${file}, line ${line}`;
    if (error instanceof SyntaxError) throw new CannotRun(`${where} is not JSON: ${error.message}`, { cause: error });
    if (error instanceof NotAnExport) throw new CannotRun(`${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

function toldRun({ id, type, inputs, diverged }: ReplayedRun, output: Output): string {
  const who = `${id}  ${output.paint("bold", type)}`;
  if (diverged === null)
    return `${output.paint("green", "✓")} ${who}  ${inputs} ${inputs === 1 ? "input" : "inputs"}, each with the effects it had`;
  const { number, kind, node, call, reason } = diverged;
  const where = [kind, call, node].filter((each) => each !== null).join(" ");
  return `${output.paint("red", "✗")} ${who}  diverges at input ${number} (${where}): ${reason}`;
}
