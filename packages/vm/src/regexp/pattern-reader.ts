// The cursor over a pattern. It has one character in hand, `current`, and the position behind it, just
// as V8's parser does: some of V8's decisions, right and wrong, follow from that.
import { patternError, RegExpTooComplex, type PatternProblem } from "./errors.ts";
import type { RegExpFlags } from "./flags.ts";
import { COMPILE_WORK_MAX, PATTERN_NESTING_MAX } from "./limits.ts";

export const END = -1;

export class PatternReader {
  readonly source: string;
  readonly flags: RegExpFlags;
  current = END;
  #next = 0;
  /** Group names are read by code points in every pattern. */
  #isForcedUnicode = false;
  #work = 0;

  constructor(source: string, flags: RegExpFlags) {
    this.source = source;
    this.flags = flags;
    this.advance();
  }

  get hasNext(): boolean {
    return this.#next < this.source.length;
  }

  get isUnicodeMode(): boolean {
    return this.flags.isUnicodeMode || this.#isForcedUnicode;
  }

  /**
   * One unit before the position behind `current`, which is the middle of a surrogate pair if current
   * is one. V8 of Node 20 returns there after looking ahead for groups, so /\1😀(a)/u looks for a lone
   * trail surrogate; so do we.
   */
  get position(): number {
    return this.#next - 1;
  }

  /** The character after current, or END. */
  peek(): number {
    return this.hasNext ? this.#readAt(this.#next) : END;
  }

  advance(distance = 1): void {
    this.#next += distance - 1;
    if (this.#next < this.source.length) {
      this.current = this.#readAt(this.#next);
      this.#next += this.current > 0xffff ? 2 : 1;
    } else {
      this.current = END;
      this.#next = this.source.length + 1;
    }
  }

  reset(position: number): void {
    this.#next = position;
    this.advance();
  }

  /** Runs with code points read whole, whatever the flags, `current` included. */
  asUnicode<Result>(read: () => Result): Result {
    this.#isForcedUnicode = true;
    try {
      if (this.current !== END) this.reset(this.#next - (this.current > 0xffff ? 2 : 1));
      return read();
    } finally {
      this.#isForcedUnicode = false;
    }
  }

  fail(problem: PatternProblem): never {
    throw patternError(this.source, this.flags, problem);
  }

  /** Called with the depth reached, before recursing. */
  checkNesting(depth: number): void {
    if (depth > PATTERN_NESTING_MAX) {
      throw new RegExpTooComplex(`The regular expression is nested deeper than ${PATTERN_NESTING_MAX} levels`);
    }
  }

  /** Accounts for work on sets, which a short pattern can ask much of: [\p{L}&&a][\p{L}&&b]… */
  charge(bounds: number): void {
    this.#work += bounds;
    if (this.#work > COMPILE_WORK_MAX) throw new RegExpTooComplex("The sets of the regular expression are too large");
  }

  #readAt(position: number): number {
    const unit = this.source.charCodeAt(position);
    if (!this.isUnicodeMode || (unit & 0xfc00) !== 0xd800) return unit;
    return this.source.codePointAt(position) ?? unit;
  }
}

export function isDigit(letter: number): boolean {
  return letter >= 0x30 && letter <= 0x39;
}

export function code(letter: string): number {
  return letter.charCodeAt(0);
}
