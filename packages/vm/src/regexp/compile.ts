import { Emitter } from "./emit.ts";
import { firstCharacters, isAnchored, isAnchoredAtEnd } from "./first-characters.ts";
import { parseFlags, type RegExpFlags } from "./flags.ts";
import { MODE_CODE_POINTS, OPERATION } from "./instructions.ts";
import { parsePattern } from "./parse-pattern.ts";
import type { RegExpProgram } from "./program.ts";
import type { PatternNode } from "./syntax-tree.ts";

/** Throws RegExpSyntaxError with V8's message, or RegExpTooComplex where our limits are met. */
export function compileRegExp(source: string, flagText: string): RegExpProgram {
  const flags = parseFlags(flagText);
  const pattern = parsePattern(source, flags);
  const emitter = new Emitter(flags, pattern);
  // Backtracking is the instruction at zero, where a state that is to backtrack finds it.
  emitter.add(OPERATION.fail);
  const isTriedOnce = flags.sticky || isAnchored(pattern.tree);
  const first = isTriedOnce ? undefined : firstCharacters(emitter, pattern.tree);
  const mode = flags.isUnicodeMode && (first === undefined || emitter.needsCodePoints(first)) ? MODE_CODE_POINTS : 0;
  const scan = emitter.add(OPERATION.scan, first === undefined ? -1 : emitter.addSet(first), mode);
  emitter.emit(pattern.tree, false);
  emitter.add(OPERATION.match);
  const isNearEnd = !isTriedOnce && isAnchoredAtEnd(pattern.tree) && pattern.tree.maxLength < BACK_SEARCH_MAX;
  const stepBackRegister = mayStepBack(pattern.tree, flags) ? emitter.newRegisters(1) : -1;
  const entry = emitter.code.length;
  // What is done once, before the first start is tried.
  if (stepBackRegister >= 0) emitter.add(OPERATION.stepBack, stepBackRegister);
  if (isNearEnd) emitter.add(OPERATION.fromEnd, pattern.tree.maxLength);
  if (emitter.widthRegister >= 0) emitter.add(OPERATION.width, emitter.widthRegister);
  emitter.add(OPERATION.jump, scan);
  const groupNames: (string | undefined)[] = Array.from({ length: pattern.groupCount });
  for (const [name, group] of pattern.groupsByName) groupNames[group] = name;
  return {
    source,
    flags,
    code: Int32Array.from(emitter.code),
    sets: emitter.sets,
    stringTables: emitter.stringTables,
    entry,
    groupCount: pattern.groupCount,
    groupNames,
    registerCount: emitter.registerCount,
    isTriedOnce,
    stepBackRegister,
  };
}

/** V8's limit for starting near the end of the input. */
const BACK_SEARCH_MAX = 1024;

/** V8 looks for a pattern that is one letter outside the first plane as for a string, without stepping back. */
function mayStepBack(tree: PatternNode, flags: RegExpFlags): boolean {
  const isLetter = tree.kind === "character" && tree.codePoint > 0xffff && !flags.ignoreCase && !flags.sticky;
  return flags.isUnicodeMode && (flags.global || flags.sticky) && !isLetter;
}
