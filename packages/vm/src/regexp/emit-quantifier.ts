// Loops. Each kind below differs from the general counted loop only in what it leaves out.
import type { Emitter } from "./emit.ts";
import { MODE_BACK, MODE_CODE_POINTS, OPERATION } from "./instructions.ts";
import { UNLIMITED, type QuantifierNode } from "./syntax-tree.ts";

export function emitQuantifier(emitter: Emitter, node: QuantifierNode, isBack: boolean): void {
  const { body, min, max, isLazy } = node;
  if (max === 0) return;
  if (min === 1 && max === 1) return emitter.emit(body, isBack);
  if (emitCharacterLoop(emitter, node, isBack)) return;
  if (max === 1) return emitOptional(emitter, node, isBack);
  if (max === UNLIMITED && min === 0) return emitStar(emitter, node, isBack);
  if (max === UNLIMITED && min === 1 && !body.isNullable) {
    const start = emitter.code.length;
    emitIteration(emitter, node, isBack);
    emitter.add(isLazy ? OPERATION.split : OPERATION.splitAway, start);
    return;
  }
  emitCounted(emitter, node, isBack);
}

/** One character repeated greedily needs no entry on the stack per character. */
function emitCharacterLoop(emitter: Emitter, node: QuantifierNode, isBack: boolean): boolean {
  const set = emitter.characterSet(node.body);
  if (set === undefined || (node.isLazy && node.min !== node.max)) return false;
  const index = emitter.addSet(set);
  const mode = (emitter.needsCodePoints(set) ? MODE_CODE_POINTS : 0) + (isBack ? MODE_BACK : 0);
  if (node.min === 1) emitter.emit(node.body, isBack);
  else if (node.min > 1) emitter.add(OPERATION.take, index, node.min, mode);
  const rest = node.max === UNLIMITED ? UNLIMITED : node.max - node.min;
  if (rest > 0 && mode === 0) emitter.add(OPERATION.loop, index, rest);
  else if (rest > 0) emitter.add(OPERATION.loopMode, index, rest, mode);
  return true;
}

function emitOptional(emitter: Emitter, node: QuantifierNode, isBack: boolean): void {
  const split = emitSplit(emitter, node.isLazy);
  if (node.body.isNullable) {
    const mark = emitter.newRegisters(1);
    emitter.add(OPERATION.mark, mark);
    emitter.emit(node.body, isBack);
    emitter.add(OPERATION.advanced, mark);
  } else {
    emitter.emit(node.body, isBack);
  }
  emitter.patch(split, 1);
}

function emitStar(emitter: Emitter, node: QuantifierNode, isBack: boolean): void {
  const start = emitter.code.length;
  const split = emitSplit(emitter, node.isLazy);
  if (node.body.isNullable) {
    const mark = emitter.newRegisters(1);
    emitter.add(OPERATION.mark, mark);
    emitIteration(emitter, node, isBack);
    emitter.add(OPERATION.advanced, mark);
  } else {
    emitIteration(emitter, node, isBack);
  }
  emitter.add(OPERATION.jump, start);
  emitter.patch(split, 1);
}

function emitCounted(emitter: Emitter, node: QuantifierNode, isBack: boolean): void {
  const { min, max } = node;
  const counter = emitter.newRegisters(1);
  emitter.add(OPERATION.zero, counter);
  const start = emitter.add(OPERATION.count, counter, min, max, 0, node.isLazy ? 1 : 0);
  if (node.body.isNullable) {
    const mark = emitter.newRegisters(1);
    emitter.add(OPERATION.mark, mark);
    emitIteration(emitter, node, isBack);
    emitter.add(OPERATION.advancedAfter, mark, counter, min);
  } else {
    emitIteration(emitter, node, isBack);
  }
  emitter.add(OPERATION.increment, counter);
  emitter.add(OPERATION.jump, start);
  emitter.patch(start, 4);
}

function emitSplit(emitter: Emitter, isLazy: boolean): number {
  return emitter.add(isLazy ? OPERATION.splitAway : OPERATION.split, 0);
}

/** Captures inside the body are forgotten at the start of every iteration. */
function emitIteration(emitter: Emitter, node: QuantifierNode, isBack: boolean): void {
  const { first, end } = node.groups;
  if (end > first) emitter.add(OPERATION.clear, 2 * first, 2 * end);
  emitter.emit(node.body, isBack);
}
