import {
  type DayFields,
  isDayOfMonth,
  isHour,
  isMonth,
  isSixtieth,
  type TimeFields,
  type ZoneFields,
} from "./date-fields.ts";
import { type DateScanner, type DateToken, isSign, isSymbol, isZulu, SIGNIFICANT_DIGITS_MAX } from "./date-tokens.ts";

/**
 * Reads as much as there is of the ISO format of ECMA-262. The answer is the token from which the legacy rules go
 * on, with the fields read so far; the end of the text when it was all in the format; undefined when the text is no
 * date by any rule, which is so from the `T` on.
 */
export function readIsoDate(
  scanner: DateScanner,
  day: DayFields,
  time: TimeFields,
  zone: ZoneFields,
): DateToken | undefined {
  const unread = readDay(scanner, day);
  if (unread !== undefined) return unread;
  const token = scanner.peek();
  if (token.kind === "word" && token.word === "separator") {
    scanner.next();
    if (!readTime(scanner, time) || !readZone(scanner, zone) || scanner.peek().kind !== "end") return undefined;
  } else if (token.kind !== "end") {
    return scanner.next();
  }
  day.iso = true;
  return { kind: "end" };
}

/**
 * The first three digits behind the point. V8 counts at most nine digits, though not the zeros in front of them, so
 * that `.00982475465` is 982 milliseconds and not 9: a fault to be kept.
 */
export function millisecondsOf(digits: { value: number; length: number }): number {
  let { value } = digits;
  for (let length = digits.length; length < 3; length++) value *= 10;
  for (let length = Math.min(digits.length, SIGNIFICANT_DIGITS_MAX); length > 3; length--) value /= 10;
  return Math.trunc(value);
}

/** The answer is the token that is not of the format, if there is one. */
function readDay(scanner: DateScanner, day: DayFields): DateToken | undefined {
  if (isSign(scanner.peek())) {
    const sign = scanner.next();
    const year = readFixed(scanner, 6);
    if (year === undefined) return sign;
    if (year === 0 && isSymbol(sign, "-")) return sign;
    day.add(isSymbol(sign, "-") ? -year : year);
  } else {
    const year = readFixed(scanner, 4);
    if (year === undefined) return scanner.next();
    day.add(year);
  }
  if (!scanner.skipSymbol("-")) return undefined;
  const month = readFixed(scanner, 2, isMonth);
  if (month === undefined) return scanner.next();
  day.add(month);
  if (!scanner.skipSymbol("-")) return undefined;
  const date = readFixed(scanner, 2, isDayOfMonth);
  if (date === undefined) return scanner.next();
  day.add(date);
  return undefined;
}

function readTime(scanner: DateScanner, time: TimeFields): boolean {
  const hour = readFixed(scanner, 2, (number) => number <= 24);
  if (hour === undefined || !scanner.skipSymbol(":")) return false;
  // 24:00:00.000 is the end of the day, and nothing later is.
  const isAllowed = (number: number): boolean => isSixtieth(number) && (hour < 24 || number === 0);
  const minute = readFixed(scanner, 2, isAllowed);
  if (minute === undefined) return false;
  time.add(hour);
  time.add(minute);
  if (!scanner.skipSymbol(":")) return true;
  const second = readFixed(scanner, 2, isAllowed);
  if (second === undefined) return false;
  time.add(second);
  if (!scanner.skipSymbol(".")) return true;
  const fraction = scanner.next();
  if (fraction.kind !== "number" || (hour === 24 && fraction.value > 0)) return false;
  time.add(millisecondsOf(fraction));
  return true;
}

/** `Z`, `±hh:mm`, `±hhmm`, or nothing. */
function readZone(scanner: DateScanner, zone: ZoneFields): boolean {
  if (isZulu(scanner.peek())) {
    scanner.next();
    zone.setHours(0);
    return true;
  }
  if (!isSign(scanner.peek())) return true;
  const sign = isSymbol(scanner.next(), "-") ? -1 : 1;
  const both = readFixed(scanner, 4);
  const hour = both === undefined ? readFixed(scanner, 2) : Math.trunc(both / 100);
  if (hour === undefined || !isHour(hour)) return false;
  if (both === undefined && !scanner.skipSymbol(":")) return false;
  const minute = both === undefined ? readFixed(scanner, 2) : both % 100;
  if (minute === undefined || !isSixtieth(minute)) return false;
  zone.set(sign, hour, minute);
  return true;
}

/** Takes the next token only if it is a number of that many digits that passes. */
function readFixed(
  scanner: DateScanner,
  length: number,
  passes: (number: number) => boolean = () => true,
): number | undefined {
  const token = scanner.peek();
  if (token.kind !== "number" || token.length !== length || !passes(token.value)) return undefined;
  scanner.next();
  return token.value;
}
