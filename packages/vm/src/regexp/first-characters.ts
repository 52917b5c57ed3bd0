// What can be said of a match before trying it: which characters it can begin with, and whether it can
// only begin at the start of the input, or end at its end.
import { ALL_CODE_POINTS, setFromRanges, type CodePointSet } from "../unicode/code-point-set.ts";
import type { Emitter } from "./emit.ts";
import type { PatternNode } from "./syntax-tree.ts";

/** Beyond this many bounds a set filters no better than trying. */
const FIRST_BOUNDS_MAX = 2000;

/** Undefined if a match may be empty, or may begin with anything. */
export function firstCharacters(emitter: Emitter, tree: PatternNode): CodePointSet | undefined {
  const ranges: number[] = [];
  if (!collect(emitter, tree, ranges) || ranges.length > FIRST_BOUNDS_MAX) return undefined;
  const set = setFromRanges(ranges);
  return set.join() === ALL_CODE_POINTS.join() ? undefined : set;
}

/** Adds the characters a node can begin with; false if it can match without consuming one. */
function collect(emitter: Emitter, node: PatternNode, ranges: number[]): boolean {
  if (ranges.length > FIRST_BOUNDS_MAX) return true;
  switch (node.kind) {
    case "character":
    case "set":
      for (const bound of emitter.characterSet(node) ?? []) ranges.push(bound);
      return true;
    case "sequence":
      return node.items.some((item) => collect(emitter, item, ranges));
    case "alternatives":
      return node.items.map((item) => collect(emitter, item, ranges)).every(Boolean);
    case "capture":
      return collect(emitter, node.body, ranges);
    case "quantifier":
      return collect(emitter, node.body, ranges) && node.min > 0;
    case "strings":
    case "reference":
      ranges.push(...ALL_CODE_POINTS);
      return !node.isNullable;
    default:
      return false;
  }
}

export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case "assertion":
      return node.assertion === "start";
    case "sequence":
      return node.items[0] !== undefined && isAnchored(node.items[0]);
    case "alternatives":
      return node.items.every(isAnchored);
    case "capture":
      return isAnchored(node.body);
    default:
      return false;
  }
}

/** V8's rule, which shows where it miscounts the length of a class of the v flag. */
export function isAnchoredAtEnd(node: PatternNode): boolean {
  switch (node.kind) {
    case "assertion":
      return node.assertion === "end";
    case "sequence":
      for (const item of node.items.toReversed()) {
        if (isAnchoredAtEnd(item)) return true;
        if (item.maxLength > 0) return false;
      }
      return false;
    case "alternatives":
      return node.items.every(isAnchoredAtEnd);
    case "capture":
      return isAnchoredAtEnd(node.body);
    default:
      return false;
  }
}
