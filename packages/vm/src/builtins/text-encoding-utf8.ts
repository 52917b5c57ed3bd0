/** UTF-8 as the Encoding standard has it, written out: decoding keeps its state in plain data between chunks. */

/** Lone surrogates become U+FFFD. */
export function utf8Of(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  writeUtf8(text, bytes);
  return bytes;
}

export function utf8Length(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length++;
    else if (unit < 0x800) length += 2;
    else if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      length += 4;
      i++;
    } else length += 3;
  }
  return length;
}

/** Writes as many whole characters as fit; tells how many UTF-16 units were read and bytes written. */
export function writeUtf8(text: string, bytes: Uint8Array): { read: number; written: number } {
  let written = 0;
  let read = 0;
  while (read < text.length) {
    let code = text.charCodeAt(read);
    let units = 1;
    if (code >= 0xd800 && code <= 0xdfff) {
      const next = text.charCodeAt(read + 1);
      if (isHigh(code) && isLow(next)) {
        code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        units = 2;
      } else {
        code = 0xfffd;
      }
    }
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (written + size > bytes.length) break;
    if (size === 1) {
      bytes[written++] = code;
    } else {
      bytes[written++] = (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | (code >> (6 * (size - 1)));
      for (let shift = 6 * (size - 2); shift >= 0; shift -= 6) bytes[written++] = 0x80 | ((code >> shift) & 0x3f);
    }
    read += units;
  }
  return { read, written };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** False for NaN, what `charCodeAt` gives past the end. */
function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

export interface DecodedUtf8 {
  readonly text: string;
  /** Bytes at the end that may still become a character: at most three. */
  readonly pending: number[];
  readonly valid: boolean;
}

/** U+FFFD stands for each maximal part of a character that cannot be completed. */
export function decodeUtf8(bytes: Uint8Array): DecodedUtf8 {
  const units: number[] = [];
  let text = "";
  let valid = true;
  let at = 0;
  while (at < bytes.length) {
    if (units.length > 8000) {
      text += String.fromCharCode(...units);
      units.length = 0;
    }
    const first = bytes[at]!;
    if (first < 0x80) {
      units.push(first);
      at++;
      continue;
    }
    const size =
      first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
    let code = size === 0 ? 0 : first & (0x7f >> size);
    let length = 1;
    while (length < size && at + length < bytes.length && continues(first, length, bytes[at + length]!)) {
      code = (code << 6) | (bytes[at + length]! & 0x3f);
      length++;
    }
    if (size !== 0 && length === size) {
      if (code < 0x10000) units.push(code);
      else units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else if (size !== 0 && at + length === bytes.length) {
      return { text: text + String.fromCharCode(...units), pending: Array.from(bytes.subarray(at)), valid };
    } else {
      units.push(0xfffd);
      valid = false;
    }
    at += length;
  }
  return { text: text + String.fromCharCode(...units), pending: [], valid };
}

/** Overlong forms, surrogates and codes beyond U+10FFFF are excluded by the range of the second byte. */
function continues(first: number, position: number, byte: number): boolean {
  if (position === 1) {
    if (first === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
    if (first === 0xed) return byte >= 0x80 && byte <= 0x9f;
    if (first === 0xf0) return byte >= 0x90 && byte <= 0xbf;
    if (first === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  }
  return byte >= 0x80 && byte <= 0xbf;
}
