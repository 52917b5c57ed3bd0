import { DayFields, TimeFields, ZoneFields } from "./date-fields.ts";
import { DateScanner, type DateToken, isSign, isSymbol, isZulu } from "./date-tokens.ts";
import { millisecondsOf, readIsoDate } from "./iso-date.ts";
import { makeDate, timeClip } from "./time-arithmetic.ts";

/**
 * `Date.parse` of V8 11.3 (Node 20) under UTC: the ISO format of ECMA-262, and V8's lenient reading of all else,
 * which goes on where the ISO format was left with the fields that were read.
 */
export function parseDate(text: string): number {
  return new DateParser(text).parse();
}

/** The legacy rules: garbage is allowed before the first number; a number's meaning follows from what stands by. */
class DateParser {
  readonly #scanner: DateScanner;
  readonly #day = new DayFields();
  readonly #time = new TimeFields();
  readonly #zone = new ZoneFields();
  #sawNumber = false;

  constructor(text: string) {
    this.#scanner = new DateScanner(text);
  }

  parse(): number {
    let token = readIsoDate(this.#scanner, this.#day, this.#time, this.#zone);
    if (token === undefined) return NaN;
    this.#sawNumber = !this.#day.isEmpty;
    for (; token.kind !== "end"; token = this.#scanner.next()) if (!this.#accept(token)) return NaN;
    const day = this.#day.resolve();
    const time = this.#time.resolve();
    const offset = this.#zone.resolve();
    if (day === undefined || time === undefined || offset === undefined) return NaN;
    return timeClip(makeDate(day, time) - offset);
  }

  #accept(token: DateToken): boolean {
    if (token.kind === "number") return this.#acceptNumber(token.value);
    if (token.kind === "word") return this.#acceptWord(token);
    if (isSign(token) && (this.#zone.isUTC || !this.#time.isEmpty)) return this.#acceptOffset(token);
    return !(this.#sawNumber && (isSign(token) || isSymbol(token, ")")));
  }

  #acceptNumber(number: number): boolean {
    const scanner = this.#scanner;
    const time = this.#time;
    this.#sawNumber = true;
    if (scanner.skipSymbol(":")) {
      if (scanner.skipSymbol(":")) return time.isEmpty && time.add(number) && time.add(0);
      if (!time.add(number)) return false;
      scanner.skipSymbol(".");
      return true;
    }
    if (scanner.skipSymbol(".") && time.isExpecting(number)) {
      const fraction = scanner.next();
      if (fraction.kind !== "number") return false;
      time.add(number);
      time.addLast(millisecondsOf(fraction));
      return true;
    }
    if (this.#zone.isExpecting(number)) {
      this.#zone.setMinute(number);
      return true;
    }
    if (time.isExpecting(number)) {
      time.addLast(number);
      const after = scanner.peek();
      return after.kind === "end" || after.kind === "space" || isZulu(after) || isSign(after);
    }
    if (!this.#day.add(number)) return false;
    scanner.skipSymbol("-");
    return true;
  }

  #acceptWord(token: DateToken & { kind: "word" }): boolean {
    if (token.word === "meridiem" && !this.#time.isEmpty) {
      this.#time.hourOffset = token.value;
      return true;
    }
    if (token.word === "month") {
      this.#day.namedMonth = token.value;
      this.#scanner.skipSymbol("-");
      return true;
    }
    if (token.word === "zone" && this.#sawNumber) {
      this.#zone.setHours(token.value);
      return true;
    }
    return !this.#sawNumber && this.#scanner.peek().kind !== "number";
  }

  /** `+h`, `+hh`, `+hmm`, `+hhmm`, or `+hh:` with the minutes to come. */
  #acceptOffset(sign: DateToken): boolean {
    let value = 0;
    let length = 0;
    const digits = this.#scanner.peek();
    if (digits.kind === "number") {
      this.#scanner.next();
      ({ value, length } = digits);
    }
    this.#sawNumber = true;
    const factor = isSymbol(sign, "-") ? -1 : 1;
    if (isSymbol(this.#scanner.peek(), ":")) this.#zone.set(factor, value, undefined);
    else if (length === 1 || length === 2) this.#zone.set(factor, value, 0);
    else if (length === 3 || length === 4) this.#zone.set(factor, Math.trunc(value / 100), value % 100);
    else return false;
    return true;
  }
}
