// Turns the tree into code. No part of the pattern is emitted twice: repetition is counted while
// matching, so the code is at most a few times as long as the pattern.
import { closeOverSimpleCase, closeOverUnitCase } from "../unicode/case-folding.ts";
import { sizeOf, type CodePointSet } from "../unicode/code-point-set.ts";
import { wordSet } from "./class-escapes.ts";
import { RegExpTooComplex } from "./errors.ts";
import type { RegExpFlags } from "./flags.ts";
import { MODE_BACK, MODE_CODE_POINTS, OPERATION } from "./instructions.ts";
import { PROGRAM_CODE_MAX, PROGRAM_SET_BOUNDS_MAX } from "./limits.ts";
import type { Pattern } from "./parse-pattern.ts";
import { characterTable, type CharacterTable, type StringTable } from "./program.ts";
import { emitQuantifier } from "./emit-quantifier.ts";
import { stringNodes } from "./string-nodes.ts";
import type { AssertionNode, LookNode, PatternNode, ReferenceNode, StringsNode } from "./syntax-tree.ts";

export class Emitter {
  readonly code: number[] = [];
  readonly sets: CharacterTable[] = [];
  readonly stringTables: StringTable[] = [];
  readonly flags: RegExpFlags;
  registerCount = 0;
  /** Set once a back-reference needs to know it. */
  widthRegister = -1;
  readonly #groupsByName: ReadonlyMap<string, number>;
  readonly #setIndexes = new Map<string, number>();
  /** Spares spelling out the tables of Unicode each time. */
  readonly #sameSets = new Map<CodePointSet, number>();
  #bounds = 0;

  constructor(flags: RegExpFlags, pattern: Pattern) {
    this.flags = flags;
    this.#groupsByName = pattern.groupsByName;
  }

  emit(node: PatternNode, isBack: boolean): void {
    switch (node.kind) {
      case "empty":
        return;
      case "character":
        return this.#emitCharacter(node.codePoint, isBack);
      case "set":
        return this.#emitSet(node.set, isBack);
      case "strings":
        return this.#emitStrings(node, isBack);
      case "sequence":
        for (const item of isBack ? node.items.toReversed() : node.items) this.emit(item, isBack);
        return;
      case "alternatives":
        return this.#emitAlternatives(node.items, isBack);
      case "capture":
        this.add(OPERATION.save, 2 * node.group + (isBack ? 1 : 0));
        this.emit(node.body, isBack);
        this.add(OPERATION.save, 2 * node.group + (isBack ? 0 : 1));
        return;
      case "look":
        return this.#emitLook(node);
      case "reference":
        return this.#emitReference(node, isBack);
      case "assertion":
        return this.#emitAssertion(node);
      case "quantifier":
        return emitQuantifier(this, node, isBack);
    }
  }

  /** Returns where the instruction is, for patching its operands. */
  add(operation: number, ...operands: readonly number[]): number {
    const position = this.code.length;
    if (position > PROGRAM_CODE_MAX) throw new RegExpTooComplex("The regular expression is too large");
    this.code.push(operation, ...operands);
    return position;
  }

  /** Makes an operand that stands for a target mean the next instruction. */
  patch(instruction: number, operand: number): void {
    this.code[instruction + operand] = this.code.length;
  }

  newRegisters(count: number): number {
    const first = this.registerCount;
    this.registerCount += count;
    return first;
  }

  /** Equal sets are stored once. */
  addSet(set: CodePointSet): number {
    const same = this.#sameSets.get(set);
    if (same !== undefined) return same;
    const index = this.#internSet(set);
    this.#sameSets.set(set, index);
    return index;
  }

  #internSet(set: CodePointSet): number {
    const key = set.join();
    const known = this.#setIndexes.get(key);
    if (known !== undefined) return known;
    this.#bounds += set.length;
    if (this.#bounds > PROGRAM_SET_BOUNDS_MAX) {
      throw new RegExpTooComplex("The sets of the regular expression are too large");
    }
    this.#setIndexes.set(key, this.sets.length);
    return this.sets.push(characterTable(set)) - 1;
  }

  /** The set that a node of one character matches; undefined for any other node. */
  characterSet(node: PatternNode): CodePointSet | undefined {
    const [only] = node.kind === "sequence" && node.items.length === 1 ? node.items : [];
    if (only !== undefined) return this.characterSet(only);
    if (node.kind === "set") return node.set;
    return node.kind === "character" ? this.#closed(node.codePoint) : undefined;
  }

  /** Whether code points have to be read whole to know if they are in the set. */
  needsCodePoints(set: CodePointSet): boolean {
    if (!this.flags.isUnicodeMode) return false;
    for (let index = 0; index < set.length; index += 2) {
      const [from = 0, to = 0] = [set[index], set[index + 1]];
      if (to > 0xffff || (from <= 0xdfff && to >= 0xd800)) return true;
    }
    return false;
  }

  #closed(codePoint: number): CodePointSet {
    const single = [codePoint, codePoint];
    if (!this.flags.ignoreCase) return single;
    return this.flags.isUnicodeMode ? closeOverSimpleCase(single) : closeOverUnitCase(single);
  }

  #emitCharacter(codePoint: number, isBack: boolean): void {
    const set = this.#closed(codePoint);
    const size = sizeOf(set);
    const unitOperation = isBack ? OPERATION.unitBack : OPERATION.unit;
    if (size === 1 && codePoint > 0xffff) {
      // A position is never inside a pair, so the halves can be compared one by one.
      const units = [0xd7c0 + (codePoint >> 10), 0xdc00 + (codePoint & 0x3ff)];
      for (const unit of isBack ? units.toReversed() : units) this.add(unitOperation, unit);
    } else if (size > 2 || this.needsCodePoints(set)) {
      this.#emitSet(set, isBack);
    } else if (size === 1) {
      this.add(unitOperation, codePoint);
    } else {
      this.add(isBack ? OPERATION.eitherBack : OPERATION.either, set[0] ?? 0, set.at(-1) ?? 0);
    }
  }

  #emitSet(set: CodePointSet, isBack: boolean): void {
    const forward = this.needsCodePoints(set) ? OPERATION.point : OPERATION.set;
    this.add(isBack ? forward + 1 : forward, this.addSet(set));
  }

  #emitStrings(node: StringsNode, isBack: boolean): void {
    const nodes = stringNodes(node.strings, isBack);
    this.#bounds += nodes.length;
    const table = { nodes, set: this.addSet(node.set), isFolded: this.flags.ignoreCase };
    this.add(OPERATION.strings, this.stringTables.push(table) - 1, isBack ? MODE_BACK : 0);
  }

  #emitAlternatives(items: readonly PatternNode[], isBack: boolean): void {
    const ends: number[] = [];
    items.forEach((item, index) => {
      if (index === items.length - 1) return this.emit(item, isBack);
      const split = this.add(OPERATION.split, 0);
      this.emit(item, isBack);
      ends.push(this.add(OPERATION.jump, 0));
      this.patch(split, 1);
    });
    for (const end of ends) this.patch(end, 1);
  }

  #emitLook(node: LookNode): void {
    const register = this.newRegisters(2);
    const slots = [2 * node.groups.first, 2 * node.groups.end] as const;
    if (node.isNegative) {
      const start = this.add(OPERATION.negativeLook, register, ...slots, 0);
      this.emit(node.body, node.isBehind);
      this.add(OPERATION.negativeLookEnd, register);
      this.patch(start, 4);
    } else {
      this.add(OPERATION.look, register, ...slots);
      this.emit(node.body, node.isBehind);
      this.add(OPERATION.lookEnd, register);
    }
  }

  #emitReference(node: ReferenceNode, isBack: boolean): void {
    const group = typeof node.group === "number" ? node.group : (this.#groupsByName.get(node.group) ?? 0);
    const { ignoreCase, isUnicodeMode } = this.flags;
    const mode = (isUnicodeMode ? MODE_CODE_POINTS : 0) + (isBack ? MODE_BACK : 0);
    if (!ignoreCase) return void this.add(OPERATION.reference, group, mode);
    if (isUnicodeMode && this.widthRegister < 0) this.widthRegister = this.newRegisters(1);
    this.add(OPERATION.referenceFolded, group, mode, isUnicodeMode ? this.widthRegister : -1);
  }

  #emitAssertion({ assertion }: AssertionNode): void {
    switch (assertion) {
      case "start":
        return void this.add(OPERATION.assertStart);
      case "end":
        return void this.add(OPERATION.assertEnd);
      case "lineStart":
        return void this.add(OPERATION.assertLineStart);
      case "lineEnd":
        return void this.add(OPERATION.assertLineEnd);
      default: {
        this.add(OPERATION.boundary, this.addSet(wordSet(this.flags)), assertion === "boundary" ? 1 : 0);
      }
    }
  }
}
