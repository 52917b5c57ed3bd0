import { RunCancelled } from "../errors.ts";
import { setTrace } from "../trace.ts";
import type { Ended } from "./report.ts";

/** What a run that did not succeed throws: its error, with the places in the body that it came from as its stack. */
export function runError({ status, value, trace }: Ended, decode: (text: string) => unknown): unknown {
  const thrown = decode(value);
  if (status === "cancelled" && !(thrown instanceof Error)) return new RunCancelled("The run was cancelled");
  setTrace(thrown, trace);
  return thrown;
}
