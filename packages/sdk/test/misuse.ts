import { compensate, emit, progress, runInfo, signal, sleep, step } from "cairnjs";
import { undo, waited } from "./workflows/misplaced.ts";

const USES: Readonly<Record<string, () => unknown>> = {
  emit: () => emit("paid"),
  progress: () => progress(1),
  compensate: () => compensate(undo),
  runInfo: () => runInfo(),
  sleep: () => sleep(1),
  wait: () => signal("paid").wait(),
  child: () => waited(),
  start: () => waited.start(),
  "in a step": () => step("inner", async () => emit("paid")),
};

/** What belongs into bodies, in the handler of an action; the compiler does not look for it in another module. */
export async function misuse(use: string): Promise<unknown> {
  return USES[use]!();
}
