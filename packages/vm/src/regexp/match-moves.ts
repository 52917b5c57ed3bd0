// What instructions do to a match state.
import type { MatchState } from "./match-state.ts";

/** The instruction that backtracks. */
export const FAIL_PC = 0;

/** The one after it, which begins a match. */
export const SCAN_PC = 1;

/** Goes on behind an instruction of that length, or backtracks. */
export function goOn(state: MatchState, isMatch: boolean, length: number): 0 {
  state.pc = isMatch ? state.pc + length : FAIL_PC;
  return 0;
}

export function push(state: MatchState, first: number, second: number, tag: number): void {
  const { stack, depth } = state;
  stack[depth] = first;
  stack[depth + 1] = second;
  stack[depth + 2] = tag;
  state.depth = depth + 3;
}

/** Stops an instruction where it is, to be taken up in the next run. */
export function interrupt(state: MatchState, scanPosition: number, scanCount: number): void {
  state.scanPosition = scanPosition;
  state.scanCount = scanCount;
}

export function finishScan(state: MatchState): void {
  state.scanPosition = -1;
  state.scanCount = -1;
}
