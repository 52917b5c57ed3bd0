import { ENTRY_BRANCH, ENTRY_CAPTURE, ENTRY_LOOP, ENTRY_REGISTER, type MatchState } from "./match-state.ts";
import { BACKTRACK_STACK_MAX } from "./limits.ts";
import { hasCharacter, type RegExpProgram } from "./program.ts";
import { MODE_BACK, OPERATION } from "./instructions.ts";
import { codePointAfter, codePointBefore, giveBack } from "./input-characters.ts";
import { FAIL_PC, finishScan, interrupt, SCAN_PC } from "./match-moves.ts";
import { runOther } from "./run-other.ts";

/**
 * Runs at most so many steps and returns how many it did: one for each instruction and one for each
 * character that an instruction scans or compares. The total is the same however a match is sliced.
 *
 * One long function for the instructions that matter, because the loop's variables have to stay in
 * registers. /\w+@\w+\.com/ over 100 KB of prose takes 0.95 million steps and 6 ms; with number literals
 * in the place of names, of which V8 makes a jump table, it would take 5.4 ms.
 */
export function runMatch(program: RegExpProgram, input: string, state: MatchState, steps: number): number {
  if (state.status !== "running" || steps <= 0) return 0;
  if (state.debt >= steps) {
    state.debt -= steps;
    return steps;
  }
  const { code, sets } = program;
  const { captures, registers, stack } = state;
  const { length } = input;
  let { pc, position, start } = state;
  let depth = stack.length;
  // An instruction that was interrupted has been counted already.
  let used = state.debt - (state.scanPosition >= 0 ? 1 : 0);
  state.debt = 0;

  running: while (used < steps) {
    used++;
    switch (code[pc]) {
      case OPERATION.fail: {
        if (depth === 0) {
          if (program.isTriedOnce) {
            // V8 tries the place inside a surrogate pair as well, when that before the pair fails.
            if (registers[program.stepBackRegister] !== 1) {
              state.status = "failed";
              break running;
            }
            registers[program.stepBackRegister] = 0;
          }
          start++;
          pc = SCAN_PC;
          break;
        }
        const tag = stack[depth - 1] as number;
        const kind = tag & 7;
        if (kind === ENTRY_BRANCH) {
          depth -= 3;
          position = stack[depth] as number;
          pc = tag >> 3;
        } else if (kind === ENTRY_CAPTURE) {
          depth -= 3;
          captures[tag >> 3] = stack[depth] as number;
        } else if (kind === ENTRY_REGISTER) {
          depth -= 3;
          registers[tag >> 3] = stack[depth] as number;
        } else {
          const fewest = stack[depth - 3] as number;
          if (kind === ENTRY_LOOP) position = (stack[depth - 2] as number) - 1;
          else position = giveBack(input, stack[depth - 2] as number, kind - ENTRY_LOOP);
          const isLast = kind < ENTRY_LOOP + MODE_BACK ? position <= fewest : position >= fewest;
          if (isLast) depth -= 3;
          else stack[depth - 2] = position;
          pc = tag >> 3;
        }
        break;
      }
      case OPERATION.scan: {
        const set = code[pc + 1] as number;
        if (set >= 0) {
          const table = sets[set] as (typeof sets)[number];
          const isByPoint = code[pc + 2] === 1;
          const first = start;
          const limit = Math.min(length, start + steps - used);
          if (isByPoint) {
            while (start < limit) {
              const codePoint = codePointAfter(input, start);
              if (codePoint >= 0 && hasCharacter(table, codePoint)) break;
              start++;
            }
          } else {
            while (start < limit && !hasCharacter(table, input.charCodeAt(start))) start++;
          }
          used += start - first;
          if (start >= limit) {
            if (start >= length) {
              state.status = "failed";
              finishScan(state);
            } else {
              interrupt(state, start, 0);
            }
            break running;
          }
        } else if (start > length) {
          state.status = "failed";
          finishScan(state);
          break running;
        }
        finishScan(state);
        if (captures.length > 2) {
          captures.fill(-1);
          used += captures.length >> 4;
        }
        position = start;
        pc += 3;
        break;
      }
      case OPERATION.match:
        captures[0] = start;
        captures[1] = position;
        state.status = "matched";
        break running;
      case OPERATION.unit:
        if (position < length && input.charCodeAt(position) === code[pc + 1]) {
          position++;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      case OPERATION.unitBack:
        if (position > 0 && input.charCodeAt(position - 1) === code[pc + 1]) {
          position--;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      case OPERATION.either: {
        const unit = position < length ? input.charCodeAt(position) : -1;
        if (unit === code[pc + 1] || unit === code[pc + 2]) {
          position++;
          pc += 3;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.eitherBack: {
        const unit = position > 0 ? input.charCodeAt(position - 1) : -1;
        if (unit === code[pc + 1] || unit === code[pc + 2]) {
          position--;
          pc += 3;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.set: {
        const table = sets[code[pc + 1] as number] as (typeof sets)[number];
        if (position < length && hasCharacter(table, input.charCodeAt(position))) {
          position++;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.setBack: {
        const table = sets[code[pc + 1] as number] as (typeof sets)[number];
        if (position > 0 && hasCharacter(table, input.charCodeAt(position - 1))) {
          position--;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.point: {
        const table = sets[code[pc + 1] as number] as (typeof sets)[number];
        const codePoint = codePointAfter(input, position);
        if (codePoint >= 0 && hasCharacter(table, codePoint)) {
          position += codePoint > 0xffff ? 2 : 1;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.pointBack: {
        const table = sets[code[pc + 1] as number] as (typeof sets)[number];
        const codePoint = codePointBefore(input, position);
        if (codePoint >= 0 && hasCharacter(table, codePoint)) {
          position -= codePoint > 0xffff ? 2 : 1;
          pc += 2;
        } else pc = FAIL_PC;
        break;
      }
      case OPERATION.loop: {
        const table = sets[code[pc + 1] as number] as (typeof sets)[number];
        const end = Math.min(length, position + (code[pc + 2] as number));
        const from = state.scanCount > 0 ? Math.min(position + state.scanCount, end) : position;
        const limit = Math.min(end, from + steps - used);
        let to = from;
        while (to < limit && hasCharacter(table, input.charCodeAt(to))) to++;
        used += to - from;
        if (to === limit && to < end) {
          interrupt(state, to, to - position);
          break running;
        }
        finishScan(state);
        pc += 3;
        if (to > position) {
          stack[depth] = position;
          stack[depth + 1] = to;
          stack[depth + 2] = (pc << 3) | ENTRY_LOOP;
          depth += 3;
          position = to;
        }
        break;
      }
      case OPERATION.jump:
        pc = code[pc + 1] as number;
        break;
      case OPERATION.split:
        stack[depth] = position;
        stack[depth + 1] = 0;
        stack[depth + 2] = (code[pc + 1] as number) << 3;
        depth += 3;
        pc += 2;
        break;
      case OPERATION.splitAway:
        stack[depth] = position;
        stack[depth + 1] = 0;
        stack[depth + 2] = (pc + 2) << 3;
        depth += 3;
        pc = code[pc + 1] as number;
        break;
      case OPERATION.save: {
        const slot = code[pc + 1] as number;
        if (depth > 0) {
          stack[depth] = captures[slot] as number;
          stack[depth + 1] = 0;
          stack[depth + 2] = (slot << 3) | ENTRY_CAPTURE;
          depth += 3;
        }
        captures[slot] = position;
        pc += 2;
        break;
      }
      default: {
        state.pc = pc;
        state.position = position;
        state.start = start;
        state.depth = depth;
        used += runOther(program, input, state, steps - used);
        pc = state.pc;
        position = state.position;
        start = state.start;
        depth = state.depth;
      }
    }
    if (depth > BACKTRACK_STACK_MAX) {
      state.status = "overflow";
      break;
    }
  }
  state.pc = pc;
  state.position = position;
  state.start = start;
  stack.length = depth;
  if (used <= steps) return used;
  state.debt = used - steps;
  return steps;
}
