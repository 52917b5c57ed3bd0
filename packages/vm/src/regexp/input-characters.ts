// Reading the input by code points, in both directions.
import { MODE_BACK, MODE_CODE_POINTS } from "./instructions.ts";

/** A surrogate pair begins at the position. */
function isPairAt(input: string, position: number): boolean {
  return (
    position + 1 < input.length &&
    (input.charCodeAt(position) & 0xfc00) === 0xd800 &&
    (input.charCodeAt(position + 1) & 0xfc00) === 0xdc00
  );
}

/** The position is between the halves of a surrogate pair. */
export function isInsidePair(input: string, position: number): boolean {
  return position > 0 && isPairAt(input, position - 1);
}

/**
 * The code point behind the position, or -1 at the input's end. Inside a pair there is none: V8 tries
 * to match from there too, so that /\B/u finds a place inside a pair, but no character is read there.
 */
export function codePointAfter(input: string, position: number): number {
  if (position >= input.length) return -1;
  const unit = input.charCodeAt(position);
  if ((unit & 0xf800) !== 0xd800) return unit;
  return isInsidePair(input, position) ? -1 : (input.codePointAt(position) as number);
}

/** The code point before the position, with the same exception. */
export function codePointBefore(input: string, position: number): number {
  if (position <= 0) return -1;
  const unit = input.charCodeAt(position - 1);
  if ((unit & 0xf800) !== 0xd800) return unit;
  if (isInsidePair(input, position)) return -1;
  return isInsidePair(input, position - 1) ? (input.codePointAt(position - 2) as number) : unit;
}

/** The position with one character less of what a loop took. */
export function giveBack(input: string, position: number, mode: number): number {
  switch (mode) {
    case 0:
      return position - 1;
    case MODE_CODE_POINTS:
      return position - (isInsidePair(input, position - 1) ? 2 : 1);
    case MODE_BACK:
      return position + 1;
    default:
      return position + (isPairAt(input, position) ? 2 : 1);
  }
}

/** The next character in the mode's direction, or -1 if there is none. */
export function readCharacter(input: string, position: number, mode: number): number {
  switch (mode) {
    case 0:
      return position < input.length ? input.charCodeAt(position) : -1;
    case MODE_CODE_POINTS:
      return codePointAfter(input, position);
    case MODE_BACK:
      return position > 0 ? input.charCodeAt(position - 1) : -1;
    default:
      return codePointBefore(input, position);
  }
}

/** The position behind a character that was read. */
export function passCharacter(position: number, character: number, mode: number): number {
  const width = character > 0xffff ? 2 : 1;
  return mode & MODE_BACK ? position - width : position + width;
}
