import type { TraceLine } from "@cairnjs/ir";
import { setStack } from "./stacks.ts";

/** Gives the error of a run the places in the body that it came from as its stack. */
export function setTrace(thrown: unknown, trace: readonly TraceLine[]): void {
  if (!(thrown instanceof Error) || trace.length === 0) return;
  const title = thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`;
  setStack(thrown, [title, ...trace.map((line) => `    at ${stackLine(line)}`)].join("\n"));
}

/** As test runners read it. */
function stackLine({ function: name, file, line, column }: TraceLine): string {
  return `${name === "" ? "body" : name} (${line === 0 ? file : `${file}:${line}:${column}`})`;
}
