// The instructions that run-match.ts does not run itself: the rarer ones. They work on the state, and
// return the steps they took beyond the one for the instruction.
import { isLineTerminator } from "../unicode/white-space.ts";
import { isInsidePair, passCharacter, readCharacter } from "./input-characters.ts";
import { OPERATION } from "./instructions.ts";
import { ENTRY_BRANCH, ENTRY_CAPTURE, ENTRY_LOOP, ENTRY_REGISTER, type MatchState } from "./match-state.ts";
import { hasCharacter, type CharacterTable, type RegExpProgram } from "./program.ts";
import { finishScan, goOn, interrupt, push } from "./match-moves.ts";
import { compareFolded, compareReference } from "./run-reference.ts";
import { runStrings } from "./run-strings.ts";

export function runOther(program: RegExpProgram, input: string, state: MatchState, budget: number): number {
  const { code } = program;
  const { pc, position, registers } = state;
  const first = code[pc + 1] as number;
  const second = code[pc + 2] as number;
  const third = code[pc + 3] as number;
  switch (code[pc]) {
    case OPERATION.loopMode:
      return runLoop(program, input, state, budget);
    case OPERATION.take:
      return runTake(program, input, state, budget);
    case OPERATION.clear:
      return clearCaptures(state, first, second);
    case OPERATION.assertStart:
      return goOn(state, position === 0, 1);
    case OPERATION.assertEnd:
      return goOn(state, position === input.length, 1);
    case OPERATION.assertLineStart:
      return goOn(state, position === 0 || isLineTerminator(input.charCodeAt(position - 1)), 1);
    case OPERATION.assertLineEnd:
      return goOn(state, position === input.length || isLineTerminator(input.charCodeAt(position)), 1);
    case OPERATION.boundary: {
      const words = program.sets[first] as CharacterTable;
      const isBoundary = isWordAt(words, input, position - 1) !== isWordAt(words, input, position);
      return goOn(state, isBoundary === (second === 1), 3);
    }
    case OPERATION.zero:
      setRegister(state, first, 0);
      return goOn(state, true, 2);
    case OPERATION.count:
      return decideIteration(state, first, second, third, code[pc + 4] as number, code[pc + 5] === 1);
    case OPERATION.increment:
      setRegister(state, first, (registers[first] as number) + 1);
      return goOn(state, true, 2);
    case OPERATION.mark:
      setRegister(state, first, position);
      return goOn(state, true, 2);
    case OPERATION.advanced:
      return goOn(state, registers[first] !== position, 2);
    case OPERATION.advancedAfter: {
      const isNeeded = (registers[second] as number) >= third;
      return goOn(state, !isNeeded || registers[first] !== position, 4);
    }
    case OPERATION.look:
      beginLook(state, first, second, third);
      return goOn(state, true, 4) + third - second;
    case OPERATION.lookEnd:
      state.depth = Math.min(state.depth, borderOf(registers[first] as number));
      state.position = Math.min(input.length, Math.max(0, registers[first + 1] as number));
      return goOn(state, true, 2);
    case OPERATION.negativeLook:
      beginLook(state, first, second, third);
      push(state, position, 0, ((code[pc + 4] as number) << 3) | ENTRY_BRANCH);
      return goOn(state, true, 5) + third - second;
    case OPERATION.negativeLookEnd:
      state.depth = Math.min(state.depth, borderOf(registers[first] as number));
      return goOn(state, false, 0);
    case OPERATION.reference:
      return compareReference(program, input, state, budget);
    case OPERATION.referenceFolded:
      return compareFolded(program, input, state, budget);
    case OPERATION.strings:
      return runStrings(program, input, state);
    case OPERATION.stepBack:
      registers[first] = isInsidePair(input, state.start) ? 1 : 0;
      state.start -= registers[first];
      return goOn(state, true, 2);
    case OPERATION.fromEnd:
      state.start = Math.max(state.start, input.length - first);
      return goOn(state, true, 2);
    default:
      return findWidth(input, state, first, budget);
  }
}

function runLoop(program: RegExpProgram, input: string, state: MatchState, budget: number): number {
  const { code, sets } = program;
  const table = sets[code[state.pc + 1] as number] as CharacterTable;
  const max = code[state.pc + 2] as number;
  const mode = code[state.pc + 3] as number;
  let position = state.scanPosition >= 0 ? Math.min(state.scanPosition, input.length) : state.position;
  let count = Math.max(0, state.scanCount);
  for (let used = 0; ; used++) {
    const character = count < max ? readCharacter(input, position, mode) : -1;
    if (character < 0 || !hasCharacter(table, character)) {
      finishScan(state);
      if (position !== state.position)
        push(state, state.position, position, ((state.pc + 4) << 3) | (ENTRY_LOOP + mode));
      state.position = position;
      goOn(state, true, 4);
      return used;
    }
    if (used >= budget) {
      interrupt(state, position, count);
      return used;
    }
    position = passCharacter(position, character, mode);
    count++;
  }
}

function runTake(program: RegExpProgram, input: string, state: MatchState, budget: number): number {
  const { code, sets } = program;
  const table = sets[code[state.pc + 1] as number] as CharacterTable;
  const needed = code[state.pc + 2] as number;
  const mode = code[state.pc + 3] as number;
  let position = state.scanPosition >= 0 ? Math.min(state.scanPosition, input.length) : state.position;
  let count = Math.max(0, state.scanCount);
  let used = 0;
  for (; count < needed; used++) {
    const character = readCharacter(input, position, mode);
    if (character < 0 || !hasCharacter(table, character)) break;
    if (used >= budget) {
      interrupt(state, position, count);
      return used;
    }
    position = passCharacter(position, character, mode);
    count++;
  }
  finishScan(state);
  state.position = position;
  goOn(state, count >= needed, 4);
  return used;
}

function clearCaptures(state: MatchState, first: number, end: number): number {
  const { captures } = state;
  for (let slot = first; slot < end; slot++) {
    if (captures[slot] === -1) continue;
    if (state.depth > 0) push(state, captures[slot] as number, 0, (slot << 3) | ENTRY_CAPTURE);
    captures[slot] = -1;
  }
  goOn(state, true, 3);
  return end - first;
}

function decideIteration(
  state: MatchState,
  register: number,
  min: number,
  max: number,
  exit: number,
  isLazy: boolean,
): 0 {
  const count = state.registers[register] as number;
  const body = state.pc + 6;
  if (count < min) {
    state.pc = body;
  } else if (count >= max) {
    state.pc = exit;
  } else {
    push(state, state.position, 0, (isLazy ? body : exit) << 3);
    state.pc = isLazy ? exit : body;
  }
  return 0;
}

function setRegister(state: MatchState, register: number, value: number): void {
  if (state.depth > 0) push(state, state.registers[register] as number, 0, (register << 3) | ENTRY_REGISTER);
  state.registers[register] = value;
}

/**
 * All captures inside are logged at once, below the entries of the body: when the body has matched, its
 * entries are dropped, and the captures can still be undone. Registers inside need no such care, since
 * nothing outside reads them.
 */
function beginLook(state: MatchState, register: number, first: number, end: number): void {
  if (state.depth > 0) {
    for (let slot = first; slot < end; slot++) {
      push(state, state.captures[slot] as number, 0, (slot << 3) | ENTRY_CAPTURE);
    }
  }
  state.registers[register] = state.depth;
  state.registers[register + 1] = state.position;
}

/** A register that was decoded could hold anything. */
function borderOf(depth: number): number {
  return depth < 0 ? 0 : depth - (depth % 3);
}

function isWordAt(words: CharacterTable, input: string, position: number): boolean {
  return position >= 0 && position < input.length && hasCharacter(words, input.charCodeAt(position));
}

/** V8 compares folded text differently in strings of bytes; see run-reference.ts. */
function findWidth(input: string, state: MatchState, register: number, budget: number): number {
  let position = Math.max(0, state.scanPosition);
  let used = 0;
  for (; position < input.length && input.charCodeAt(position) < 256; position++, used++) {
    if (used >= budget) {
      interrupt(state, position, 0);
      return used;
    }
  }
  finishScan(state);
  state.registers[register] = position < input.length ? 1 : 0;
  goOn(state, true, 2);
  return used;
}
