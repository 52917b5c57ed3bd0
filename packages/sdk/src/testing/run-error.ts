import { readFileSync } from "node:fs";
import type { TraceLine } from "@cairnjs/vm";
import { RunCancelled } from "../errors.ts";
import { setStack } from "../stacks.ts";
import type { Ended } from "./report.ts";

/** What a run that did not succeed throws: its error, with the places in the body that it came from as its stack. */
export function runError({ status, value, trace }: Ended, decode: (text: string) => unknown): unknown {
  const thrown = decode(value);
  if (status === "cancelled" && !(thrown instanceof Error)) return new RunCancelled("The run was cancelled");
  if (thrown instanceof Error && trace.length > 0) {
    const title = thrown.message === "" ? thrown.name : `${thrown.name}: ${thrown.message}`;
    const stack = [title, ...trace.map((line) => `    at ${stackLine(line)}`)].join("\n");
    setStack(thrown, stack);
  }
  return thrown;
}

function stackLine({ function: name, file, offset }: TraceLine): string {
  return `${name === "" ? "body" : name} (${place(file, offset)})`;
}

/** As test runners read it. Of source that is not on disk only the file is known. */
function place(file: string, offset: number): string {
  if (offset < 0) return file;
  try {
    const before = readFileSync(file, "utf8")
      .slice(0, offset)
      .split(/\r\n|[\n\r\u2028\u2029]/);
    return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  } catch {
    return file;
  }
}
