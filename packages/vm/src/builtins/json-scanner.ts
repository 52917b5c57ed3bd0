import type { JsonErrors } from "./json-errors.ts";

/** UTF-16 units that mean something in JSON. */
export const Unit = {
  /** Past the end of the text. */
  End: -1,
  Quote: 0x22,
  Comma: 0x2c,
  Minus: 0x2d,
  Zero: 0x30,
  Nine: 0x39,
  Colon: 0x3a,
  OpenBracket: 0x5b,
  Backslash: 0x5c,
  CloseBracket: 0x5d,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  OpenBrace: 0x7b,
  CloseBrace: 0x7d,
} as const;

/** Reads scalars of a JSON text from `at` on, and leaves `at` behind them. */
export class JsonScanner {
  at = 0;
  private readonly text: string;
  private readonly errors: JsonErrors;

  constructor(text: string, errors: JsonErrors) {
    this.text = text;
    this.errors = errors;
  }

  /** The first unit that is not white space. */
  skipSpace(): number {
    const { text } = this;
    let { at } = this;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x20 || (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09)) {
        this.at = at;
        return unit;
      }
    }
    this.at = at;
    return Unit.End;
  }

  /** `at` is on the opening quote. */
  string(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === Unit.Quote) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (unit === Unit.Backslash) return this.escapedString(start, at);
      if (unit < 0x20) this.errors.controlCharacter(at);
    }
    return this.errors.unterminatedString(text.length);
  }

  literal<T>(word: string, value: T): T {
    const { text } = this;
    for (let index = 1; index < word.length; index++) {
      if (text.charCodeAt(this.at + index) !== word.charCodeAt(index)) this.errors.unexpected(this.at + index);
    }
    this.at += word.length;
    return value;
  }

  /** `at` is on a minus sign or a digit. */
  number(): number {
    const { text } = this;
    const start = this.at;
    let at = text.charCodeAt(start) === Unit.Minus ? start + 1 : start;
    const first = at;
    if (text.charCodeAt(at) === Unit.Zero) {
      at++;
      if (isDigit(text.charCodeAt(at))) this.errors.unexpected(at);
    } else {
      at = this.skipDigits(at);
      if (at === first) this.errors.noNumberAfterMinus(at);
    }
    const wholeEnd = at;
    if (text.charCodeAt(at) === 0x2e) {
      if (!isDigit(text.charCodeAt(at + 1))) this.errors.unterminatedFraction(at + 1);
      at = this.skipDigits(at + 1);
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      at++;
      const sign = text.charCodeAt(at);
      if (sign === 0x2b || sign === Unit.Minus) at++;
      if (!isDigit(text.charCodeAt(at))) this.errors.exponentMissing(at);
      at = this.skipDigits(at);
    }
    this.at = at;
    if (at === wholeEnd && first === start && at - start < 10) return this.smallInteger(start, at);
    return Number(text.slice(start, at));
  }

  /** Without a detour by a slice: most numbers in JSON are small. */
  private smallInteger(start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end; at++) value = value * 10 + this.text.charCodeAt(at) - Unit.Zero;
    return value;
  }

  private skipDigits(start: number): number {
    let at = start;
    while (isDigit(this.text.charCodeAt(at))) at++;
    return at;
  }

  /** `start` is where the string begins, `escape` where its first backslash stands. */
  private escapedString(start: number, escape: number): string {
    const { text } = this;
    let result = "";
    let from = start;
    let at = escape;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit === Unit.Quote) {
        this.at = at + 1;
        return result + text.slice(from, at);
      }
      if (unit < 0x20) this.errors.controlCharacter(at);
      if (unit !== Unit.Backslash) {
        at++;
        continue;
      }
      result += text.slice(from, at) + this.escape(at + 1);
      at += text.charCodeAt(at + 1) === 0x75 ? 6 : 2;
      from = at;
    }
    return this.errors.unterminatedString(text.length);
  }

  /** What a backslash before `at` makes of the unit there. */
  private escape(at: number): string {
    const character = this.text.charAt(at);
    if (character === "") return this.errors.unexpected(at);
    if (character !== "u") return ESCAPES[character] ?? this.errors.badEscape(at);
    let code = 0;
    for (let index = at + 1; index <= at + 4; index++) {
      const digit = hexValue(this.text.charCodeAt(index));
      if (digit < 0) this.errors.badUnicodeEscape(index);
      code = code * 16 + digit;
    }
    return String.fromCharCode(code);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  '"': '"',
  "/": "/",
  "\\": "\\",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

function isDigit(unit: number): boolean {
  return unit >= Unit.Zero && unit <= Unit.Nine;
}

function hexValue(unit: number): number {
  if (isDigit(unit)) return unit - Unit.Zero;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
