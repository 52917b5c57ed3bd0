import { alternatives, sequence, type PatternNode } from "./syntax-tree.ts";

/** A group that the parser is inside of, or the whole pattern. */
export interface OpenGroup {
  readonly kind: "whole" | "capture" | "plain" | "look";
  readonly isBehind: boolean;
  readonly isNegative: boolean;
  /** Its own number if it captures, else that of the last group before it. */
  readonly group: number;
  readonly name: string | undefined;
  readonly alternatives: PatternNode[];
  terms: PatternNode[];
}

export function openGroup(
  kind: OpenGroup["kind"],
  group: number,
  name?: string,
  isBehind = false,
  isNegative = false,
): OpenGroup {
  return { kind, group, name, isBehind, isNegative, alternatives: [], terms: [] };
}

export function closeBody(group: OpenGroup): PatternNode {
  return alternatives([...group.alternatives, sequence(group.terms)]);
}
