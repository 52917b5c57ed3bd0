/** What the date parser sees of a text. A number keeps its length, which tells `5` from `05` and `0005`. */
export type DateToken =
  | { kind: "number"; value: number; length: number }
  | { kind: "symbol"; symbol: string }
  | { kind: "word"; word: WordKind; value: number; length: number }
  | { kind: "space" }
  | { kind: "ignored" }
  | { kind: "end" };

type WordKind = "month" | "zone" | "meridiem" | "separator" | "unknown";

/** Reads one token ahead. A NUL ends the text, wherever it stands: V8 marks the end with it. */
export class DateScanner {
  readonly #text: string;
  #position = 0;
  #ahead: DateToken;

  constructor(text: string) {
    this.#text = text;
    this.#ahead = this.#scan();
  }

  peek(): DateToken {
    return this.#ahead;
  }

  next(): DateToken {
    const token = this.#ahead;
    this.#ahead = this.#scan();
    return token;
  }

  skipSymbol(symbol: string): boolean {
    if (!isSymbol(this.#ahead, symbol)) return false;
    this.#ahead = this.#scan();
    return true;
  }

  #scan(): DateToken {
    const code = this.#code();
    if (code === 0) return { kind: "end" };
    if (isDigit(code)) return this.#scanNumber();
    if (isWordCode(code)) return this.#scanWord();
    const character = this.#text.charAt(this.#position);
    if (code === 0x28) {
      this.#skipParentheses();
      return { kind: "ignored" };
    }
    this.#position++;
    if (":-+.)".includes(character)) return { kind: "symbol", symbol: character };
    return { kind: isWhiteSpace(code) || isLineTerminator(code) ? "space" : "ignored" };
  }

  #code(): number {
    return this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : 0;
  }

  #scanNumber(): DateToken {
    const start = this.#position;
    while (this.#code() === 0x30) this.#position++;
    const significant = this.#position;
    let value = 0;
    for (let code = this.#code(); isDigit(code); code = this.#code()) {
      if (this.#position - significant < SIGNIFICANT_DIGITS_MAX) value = value * 10 + code - 0x30;
      this.#position++;
    }
    return { kind: "number", value, length: this.#position - start };
  }

  #scanWord(): DateToken {
    const start = this.#position;
    while (isWordCode(this.#code())) this.#position++;
    const length = this.#position - start;
    const prefix = this.#text.slice(start, start + 3).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const known = WORDS.get(prefix.slice(0, length));
    if (known === undefined || (length > 3 && known.word !== "month")) {
      return { kind: "word", word: "unknown", value: 0, length };
    }
    return { kind: "word", ...known, length };
  }

  #skipParentheses(): void {
    let depth = 0;
    do {
      const code = this.#code();
      if (code === 0x29) depth--;
      else if (code === 0x28) depth++;
      this.#position++;
    } while (depth > 0 && this.#code() !== 0);
  }
}

export function isSymbol(token: DateToken, symbol: string): boolean {
  return token.kind === "symbol" && token.symbol === symbol;
}

export function isSign(token: DateToken): boolean {
  return isSymbol(token, "+") || isSymbol(token, "-");
}

/** The one-letter zone `Z`; `UT`, `UTC` and `GMT` mean the same but are no part of the ISO format. */
export function isZulu(token: DateToken): boolean {
  return token.kind === "word" && token.word === "zone" && token.length === 1;
}

/** Further digits of a number are skipped. Zeros in front are not counted. */
export const SIGNIFICANT_DIGITS_MAX = 9;

/** Months are told by their first three letters; the other words have to match as a whole. Zones are in hours. */
const WORDS = new Map<string, { word: WordKind; value: number }>([
  ...["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map(
    (name, index) => [name, { word: "month", value: index + 1 }] as const,
  ),
  ["am", { word: "meridiem", value: 0 }],
  ["pm", { word: "meridiem", value: 12 }],
  ...Object.entries({
    ut: 0,
    utc: 0,
    z: 0,
    gmt: 0,
    cdt: -5,
    cst: -6,
    edt: -4,
    est: -5,
    mdt: -6,
    mst: -7,
    pdt: -7,
    pst: -8,
  }).map(([name, hours]) => [name, { word: "zone", value: hours }] as const),
  ["t", { word: "separator", value: 0 }],
]);

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Everything from `A` on is a letter to the parser, except for white space; the line separators are letters. */
function isWordCode(code: number): boolean {
  return code >= 0x41 && !isWhiteSpace(code);
}

/** ECMA-262's WhiteSpace, spelt out: a host's `\s` follows its own version of Unicode. */
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || code === 0x09 || code === 0x0b || code === 0x0c;
  if (code >= 0x2000 && code <= 0x200a) return true;
  return [0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xfeff].includes(code);
}

/** The others, U+2028 and U+2029, have been taken for letters before this is asked. */
function isLineTerminator(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}
