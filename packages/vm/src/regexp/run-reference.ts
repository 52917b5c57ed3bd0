// Back-references. In all modes the compared text has as many code units as the captured one.
import { canonicalizeUnit, expandedFold, simpleFold } from "../unicode/case-folding.ts";
import { isInsidePair } from "./input-characters.ts";
import { MODE_BACK, MODE_CODE_POINTS } from "./instructions.ts";
import type { MatchState } from "./match-state.ts";
import type { RegExpProgram } from "./program.ts";
import { finishScan, goOn, interrupt } from "./match-moves.ts";

export function compareReference(program: RegExpProgram, input: string, state: MatchState, budget: number): number {
  const found = captured(program, input, state);
  if (found === undefined) return finish(program, input, state, true, 0, 3);
  const { from, length, to } = found;
  let count = Math.max(0, state.scanCount);
  let used = 0;
  if (to < 0 || to + length > input.length) count = length + 1;
  for (; count < length; count++, used++) {
    if (used >= budget) {
      interrupt(state, to, count);
      return used;
    }
    if (input.charCodeAt(from + count) !== input.charCodeAt(to + count)) break;
  }
  finish(program, input, state, count === length, length, 3);
  return used;
}

/**
 * Where case is ignored. Without u and v units are compared. With them V8 compares the full foldings of
 * both texts, so "ßss" equals "ssß", unless the input has no character beyond Latin-1: then it looks at
 * one character after the other.
 */
export function compareFolded(program: RegExpProgram, input: string, state: MatchState, budget: number): number {
  const found = captured(program, input, state);
  if (found === undefined) return finish(program, input, state, true, 0, 4);
  const { from, length, to } = found;
  const isFitting = to >= 0 && to + length <= input.length;
  const widthRegister = program.code[state.pc + 3] as number;
  const isWide = widthRegister >= 0 && state.registers[widthRegister] === 1;
  const foldAt = widthRegister < 0 ? unitAt : isWide ? expandedAt : simpleAt;
  // Both cursors count in quarters: the position in the text, and that in a folding of several letters.
  let left = Math.max(0, state.scanCount);
  let right = Math.max(0, state.scanPosition);
  let used = 0;
  let isEqual = isFitting;
  while (isEqual && left < 4 * length && right < 4 * length) {
    if (used >= budget) {
      interrupt(state, right, left);
      return used;
    }
    const one = foldAt(input, from, length, left);
    const two = foldAt(input, to, length, right);
    isEqual = one === two;
    left = nextCursor(input, from, length, left, foldAt);
    right = nextCursor(input, to, length, right, foldAt);
    used++;
  }
  finish(program, input, state, isEqual && left >= 4 * length && right >= 4 * length, length, 4);
  return used;
}

interface Captured {
  readonly from: number;
  readonly length: number;
  /** Where the text to compare begins; may be before the input. */
  readonly to: number;
}

function captured(program: RegExpProgram, input: string, state: MatchState): Captured | undefined {
  const group = program.code[state.pc + 1] as number;
  const from = state.captures[2 * group] as number;
  const end = Math.min(state.captures[2 * group + 1] as number, input.length);
  if (from < 0 || end < from) return undefined;
  const isBack = ((program.code[state.pc + 2] as number) & MODE_BACK) !== 0;
  return { from, length: end - from, to: isBack ? state.position - (end - from) : state.position };
}

function finish(
  program: RegExpProgram,
  input: string,
  state: MatchState,
  isEqual: boolean,
  length: number,
  instructionLength: number,
): 0 {
  finishScan(state);
  const mode = program.code[state.pc + 2] as number;
  const position = mode & MODE_BACK ? state.position - length : state.position + length;
  const isSplit = (mode & MODE_CODE_POINTS) !== 0 && isInsidePair(input, position);
  if (isEqual && !isSplit) state.position = position;
  return goOn(state, isEqual && !isSplit, instructionLength);
}

type FoldAt = (input: string, from: number, length: number, cursor: number) => number;

function unitAt(input: string, from: number, _length: number, cursor: number): number {
  return canonicalizeUnit(input.charCodeAt(from + (cursor >> 2)));
}

function simpleAt(input: string, from: number, length: number, cursor: number): number {
  return simpleFold(pointWithin(input, from, length, cursor >> 2));
}

function expandedAt(input: string, from: number, length: number, cursor: number): number {
  const codePoint = pointWithin(input, from, length, cursor >> 2);
  const expansion = expandedFold(codePoint);
  return expansion === undefined ? simpleFold(codePoint) : (expansion[cursor & 3] ?? 0);
}

function nextCursor(input: string, from: number, length: number, cursor: number, foldAt: FoldAt): number {
  const index = cursor >> 2;
  if (foldAt === unitAt) return 4 * (index + 1);
  const codePoint = pointWithin(input, from, length, index);
  const letters = foldAt === expandedAt ? (expandedFold(codePoint)?.length ?? 1) : 1;
  if ((cursor & 3) + 1 < letters) return cursor + 1;
  return 4 * (index + (codePoint > 0xffff ? 2 : 1));
}

/** A pair that is cut by the end of the text is not read whole. */
function pointWithin(input: string, from: number, length: number, index: number): number {
  if (index + 1 >= length) return input.charCodeAt(from + index);
  return input.codePointAt(from + index) ?? 0;
}
