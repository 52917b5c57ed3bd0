import { InvalidMatchState } from "./errors.ts";
import { INTERRUPTIBLE, OPERAND_COUNTS } from "./instructions.ts";
import { BACKTRACK_STACK_MAX, POSITION_MAX } from "./limits.ts";
import { SCAN_PC } from "./match-moves.ts";
import type { RegExpProgram } from "./program.ts";

export type MatchStatus = "running" | "matched" | "failed" | "overflow";

/** Kinds of entries on the backtrack stack, in the low bits of an entry's last number. */
export const ENTRY_BRANCH = 0;
export const ENTRY_CAPTURE = 1;
export const ENTRY_REGISTER = 2;
/** Plus the mode of the loop: what a greedy loop took and may give back. */
export const ENTRY_LOOP = 3;
const ENTRY_KIND_BITS = 3;

/**
 * A match under way. Owns everything matching has found out; the input and the program are given with
 * each run.
 * I1 The stack is made of entries of three numbers, so any multiple of three is an entry's border:
 *    branch (position, 0, target), capture (old value, 0, slot), register (old value, 0, register),
 *    loop (position of the fewest characters, of the most, where to go on); kind in the last number.
 * I2 With an empty stack nothing is to be restored, so nothing is logged then.
 * I3 Slots and registers hold whole numbers of at least -1.
 * I4 Whatever valid numbers the fields hold, every instruction ends, and each costs at least one step.
 */
export class MatchState {
  status: MatchStatus = "running";
  pc: number;
  position = 0;
  /** Where the match being tried begins. */
  start: number;
  /** How far an interrupted instruction has come; -1 in both if none is. */
  scanPosition = -1;
  scanCount = -1;
  /** Steps done beyond those allowed, taken from the next run. */
  debt = 0;
  /** Start and end of each group, -1 where it has not matched. */
  readonly captures: number[];
  readonly registers: number[];
  readonly stack: number[] = [];
  /** How much of the stack is in use during a run, which trims the stack to it at its end. */
  depth = 0;

  constructor(pc: number, start: number, slotCount: number, registerCount: number) {
    this.pc = pc;
    this.start = start;
    this.captures = Array.from({ length: slotCount }, () => -1);
    this.registers = Array.from({ length: registerCount }, () => -1);
  }
}

/** The caller has seen to it that lastIndex is not beyond the input, and is zero without g and y. */
export function startMatch(program: RegExpProgram, lastIndex: number): MatchState {
  return new MatchState(program.entry, lastIndex, 2 * program.groupCount, program.registerCount);
}

const STATUSES: readonly MatchStatus[] = ["running", "matched", "failed", "overflow"];
const HEADER_LENGTH = 7;
/** Larger than any count of steps or characters can become. */
const COUNT_MAX = 2 ** 52;

export function encodeMatchState(state: MatchState): number[] {
  const header = [
    STATUSES.indexOf(state.status),
    state.pc,
    state.position,
    state.start,
    state.scanPosition,
    state.scanCount,
    state.debt,
  ];
  return header.concat(state.captures, state.registers, state.stack);
}

/** Refuses numbers that no match of this program could have, by throwing InvalidMatchState. */
export function decodeMatchState(
  numbers: readonly number[],
  program: RegExpProgram,
  inputLength: number = POSITION_MAX,
): MatchState {
  const slotCount = 2 * program.groupCount;
  const fixedLength = HEADER_LENGTH + slotCount + program.registerCount;
  const stackLength = numbers.length - fixedLength;
  check(stackLength >= 0 && stackLength % 3 === 0 && stackLength <= BACKTRACK_STACK_MAX, "length");
  const instructions = instructionStarts(program.code);
  const [status = 0, pc = 0, position = 0, start = 0, scanPosition = 0, scanCount = 0, debt = 0] = numbers;
  check(isWhole(status, 0, STATUSES.length - 1), "status");
  check(isWhole(pc, 0, program.code.length) && instructions.has(pc), "pc");
  check(isWhole(position, 0, inputLength), "position");
  // A start behind the input is one that `scan` has still to refuse.
  check(isWhole(start, 0, pc === SCAN_PC ? inputLength + 1 : inputLength), "start");
  // Folding back-references count in quarters of a character.
  check(isWhole(scanPosition, -1, 4 * inputLength + 3) && isWhole(scanCount, -1, COUNT_MAX), "scan");
  const isInterruptible = INTERRUPTIBLE.has(program.code[pc] ?? 0);
  check(scanPosition >= 0 === scanCount >= 0 && (scanPosition < 0 || isInterruptible), "scan");
  check(isWhole(debt, 0, COUNT_MAX), "debt");
  const state = new MatchState(pc, start, slotCount, program.registerCount);
  state.status = STATUSES[status] ?? "failed";
  state.position = position;
  state.scanPosition = scanPosition;
  state.scanCount = scanCount;
  state.debt = debt;
  fill(state.captures, numbers, HEADER_LENGTH, inputLength, "captures");
  fill(state.registers, numbers, HEADER_LENGTH + slotCount, COUNT_MAX, "registers");
  for (let index = fixedLength; index < numbers.length; index += 3) {
    const entry = numbers.slice(index, index + 3);
    checkEntry(entry, program, instructions, inputLength);
    state.stack.push(...entry);
  }
  state.depth = stackLength;
  return state;
}

function fill(target: number[], numbers: readonly number[], from: number, max: number, what: string): void {
  for (let index = 0; index < target.length; index++) {
    const number = numbers[from + index] ?? 0;
    check(isWhole(number, -1, max), what);
    target[index] = number;
  }
}

function checkEntry(
  entry: readonly number[],
  program: RegExpProgram,
  instructions: ReadonlySet<number>,
  inputLength: number,
): void {
  const [first = 0, second = 0, tag = 0] = entry;
  check(isWhole(tag, 0, 2 ** 30), "entry");
  const kind = tag & (2 ** ENTRY_KIND_BITS - 1);
  const operand = tag >> ENTRY_KIND_BITS;
  switch (kind) {
    case ENTRY_CAPTURE:
      check(
        operand < 2 * program.groupCount && isWhole(first, -1, inputLength) && isWhole(second, 0, 0),
        "capture entry",
      );
      return;
    case ENTRY_REGISTER:
      check(
        operand < program.registerCount && isWhole(first, -1, COUNT_MAX) && isWhole(second, 0, 0),
        "register entry",
      );
      return;
    case ENTRY_BRANCH:
      check(instructions.has(operand) && isWhole(first, 0, inputLength) && isWhole(second, 0, 0), "branch entry");
      return;
    default: {
      const isBack = kind - ENTRY_LOOP >= 2;
      check(instructions.has(operand) && kind - ENTRY_LOOP < 4, "loop entry");
      check(isWhole(first, 0, inputLength) && isWhole(second, 0, inputLength), "loop entry");
      check(isBack ? second < first : second > first, "loop entry");
    }
  }
}

function instructionStarts(code: Int32Array): ReadonlySet<number> {
  const starts = new Set<number>();
  for (let pc = 0; pc < code.length; pc += 1 + (OPERAND_COUNTS[code[pc] ?? 0] ?? 0)) starts.add(pc);
  return starts;
}

function isWhole(number: number, min: number, max: number): boolean {
  return Number.isInteger(number) && !Object.is(number, -0) && number >= min && number <= max;
}

function check(isRight: boolean, what: string): void {
  if (!isRight) throw new InvalidMatchState(`The stored match state has a wrong ${what}`);
}
