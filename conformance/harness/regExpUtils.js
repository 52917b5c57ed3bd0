import { check } from "./assert.js";
import { checkSame } from "./assert-same.js";
import { checkSameItems } from "./compareArray.js";

/**
 * The suite's own takes every code point, which is a second's work a test on any machine; the ends of each range and
 * every 509th point between find a wrong range as well, and the tables have golden tests of their own.
 */
export function buildString({ loneCodePoints, ranges }) {
  const parts = [String.fromCodePoint(...loneCodePoints)];
  for (const [start, end] of ranges) {
    for (let point = start; point <= end; point = point < start + 4 ? point + 1 : point + 509) {
      parts.push(String.fromCodePoint(point));
    }
    for (let point = Math.max(start, end - 4); point <= end; point++) parts.push(String.fromCodePoint(point));
  }
  return parts.join("");
}

export function testPropertyEscapes(regex, text, expression) {
  if (regex.test(text)) return;
  for (const character of text) {
    check(regex.test(character), `${expression} matches U+${character.codePointAt(0).toString(16)}`);
  }
}

export function matchValidator(entries, index, input) {
  return (match) => {
    checkSameItems(match, entries, "match entries");
    checkSame(match.index, index, "match index");
    checkSame(match.input, input, "match input");
  };
}
