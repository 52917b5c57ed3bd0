import type { RegExpFlags } from "./flags.ts";

/** The pattern or its flags are wrong; the message is V8's. */
export class RegExpSyntaxError extends Error {
  override readonly name = "RegExpSyntaxError";
}

/** The pattern is right, but larger or deeper than our limits. */
export class RegExpTooComplex extends Error {
  override readonly name = "RegExpTooComplex";
}

/** A right pattern on which V8 of Node 20 crashes or computes a wrong set, so that there is nothing to equal. */
export class RegExpUnsupported extends Error {
  override readonly name = "RegExpUnsupported";
}

/** A stored match state does not belong to the program. */
export class InvalidMatchState extends Error {
  override readonly name = "InvalidMatchState";
}

export function patternError(source: string, flags: RegExpFlags, reason: PatternProblem): RegExpSyntaxError {
  return new RegExpSyntaxError(`Invalid regular expression: /${source}/${flags.text}: ${reason}`);
}

/** V8's words for what can be wrong with a pattern. */
export type PatternProblem =
  | "Unterminated group"
  | "Unmatched ')'"
  | "\\ at end of pattern"
  | "Invalid property name"
  | "Invalid escape"
  | "Invalid decimal escape"
  | "Invalid Unicode escape"
  | "Nothing to repeat"
  | "Lone quantifier brackets"
  | "numbers out of order in {} quantifier"
  | "Incomplete quantifier"
  | "Invalid quantifier"
  | "Invalid group"
  | "Too many captures"
  | "Invalid capture group name"
  | "Duplicate capture group name"
  | "Invalid named reference"
  | "Invalid named capture referenced"
  | "Invalid class escape"
  | "Invalid property name in character class"
  | "Invalid character class"
  | "Unterminated character class"
  | "Range out of order in character class"
  | "Invalid set operation in character class"
  | "Invalid character in character class"
  | "Negated character class may contain strings";
