import type { CodePointSet } from "../unicode/code-point-set.ts";

/**
 * What the parser hands to the emitter. Sets are final: closed over case and negated where the pattern
 * says so. A character is still to be closed over case.
 */
export type PatternNode =
  | EmptyNode
  | CharacterNode
  | SetNode
  | StringsNode
  | SequenceNode
  | AlternativesNode
  | CaptureNode
  | LookNode
  | ReferenceNode
  | AssertionNode
  | QuantifierNode;

interface Lengths {
  /** May match without consuming anything, as far as can be told without looking at the input. */
  readonly isNullable: boolean;
  /** The most code units it may consume, or UNLIMITED. */
  readonly maxLength: number;
}

interface EmptyNode extends Lengths {
  readonly kind: "empty";
}
interface CharacterNode extends Lengths {
  readonly kind: "character";
  readonly codePoint: number;
}
interface SetNode extends Lengths {
  readonly kind: "set";
  readonly set: CodePointSet;
}
/** A class of the v flag that holds strings of no, two or more code points besides single ones. */
export interface StringsNode extends Lengths {
  readonly kind: "strings";
  readonly set: CodePointSet;
  readonly strings: readonly (readonly number[])[];
}
interface SequenceNode extends Lengths {
  readonly kind: "sequence";
  readonly items: readonly PatternNode[];
}
interface AlternativesNode extends Lengths {
  readonly kind: "alternatives";
  readonly items: readonly PatternNode[];
}
interface CaptureNode extends Lengths {
  readonly kind: "capture";
  readonly group: number;
  readonly body: PatternNode;
}
export interface LookNode extends Lengths {
  readonly kind: "look";
  readonly body: PatternNode;
  readonly isBehind: boolean;
  readonly isNegative: boolean;
  readonly groups: GroupSpan;
}
export interface ReferenceNode extends Lengths {
  readonly kind: "reference";
  /** The number, or a name that is looked up once the whole pattern is read. */
  readonly group: number | string;
}
export interface AssertionNode extends Lengths {
  readonly kind: "assertion";
  readonly assertion: Assertion;
}
export interface QuantifierNode extends Lengths {
  readonly kind: "quantifier";
  readonly body: PatternNode;
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
  readonly groups: GroupSpan;
}

export type Assertion = "start" | "end" | "lineStart" | "lineEnd" | "boundary" | "noBoundary";

/** The groups captured inside a node: first inclusive, end exclusive. */
export interface GroupSpan {
  readonly first: number;
  readonly end: number;
}

/** V8's infinity for the bounds of a quantifier. */
export const UNLIMITED = 0x7fffffff;

export const EMPTY: EmptyNode = { kind: "empty", isNullable: true, maxLength: 0 };

export function character(codePoint: number, maxLength: number): CharacterNode {
  return { kind: "character", codePoint, isNullable: false, maxLength };
}

export function setNode(set: CodePointSet, maxLength = 2): SetNode {
  return { kind: "set", set, isNullable: false, maxLength };
}

export function stringsNode(
  set: CodePointSet,
  strings: readonly (readonly number[])[],
  maxLength: number,
): PatternNode {
  if (strings.length === 0) return setNode(set, maxLength);
  return { kind: "strings", set, strings, isNullable: strings.some(({ length }) => length === 0), maxLength };
}

export function sequence(items: readonly PatternNode[]): PatternNode {
  const [only] = items;
  if (only === undefined) return EMPTY;
  if (items.length === 1) return only;
  return {
    kind: "sequence",
    items,
    isNullable: items.every((item) => item.isNullable),
    maxLength: items.reduce((sum, item) => Math.min(sum + item.maxLength, UNLIMITED), 0),
  };
}

/**
 * A group that does not capture is a node of its own: it hides a lookaround inside it from a quantifier
 * behind it, and a single letter from V8's search for plain letters.
 */
export function plainGroup(body: PatternNode): SequenceNode {
  return { kind: "sequence", items: [body], isNullable: body.isNullable, maxLength: body.maxLength };
}

export function alternatives(items: readonly PatternNode[]): PatternNode {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  return {
    kind: "alternatives",
    items,
    isNullable: items.some((item) => item.isNullable),
    maxLength: items.reduce((max, item) => Math.max(max, item.maxLength), 0),
  };
}

export function capture(group: number, body: PatternNode): CaptureNode {
  return { kind: "capture", group, body, isNullable: body.isNullable, maxLength: body.maxLength };
}

export function look(body: PatternNode, isBehind: boolean, isNegative: boolean, groups: GroupSpan): LookNode {
  return { kind: "look", body, isBehind, isNegative, groups, isNullable: true, maxLength: 0 };
}

export function reference(group: number | string): ReferenceNode {
  return { kind: "reference", group, isNullable: true, maxLength: UNLIMITED };
}

export function assertion(kind: Assertion): AssertionNode {
  return { kind: "assertion", assertion: kind, isNullable: true, maxLength: 0 };
}

export function quantifier(
  body: PatternNode,
  min: number,
  max: number,
  isLazy: boolean,
  groups: GroupSpan,
): QuantifierNode {
  return {
    kind: "quantifier",
    body,
    min,
    max,
    isLazy,
    groups,
    isNullable: min === 0 || body.isNullable,
    maxLength: Math.min(max * body.maxLength, UNLIMITED),
  };
}
