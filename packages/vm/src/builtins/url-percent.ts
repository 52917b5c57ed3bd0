import { utf8Of } from "./text-encoding-utf8.ts";

/**
 * Percent-encode sets of the URL standard, as Node 20 has them: the later addition of `^` to the path's set is
 * not in it. Each is a table over the 128 ASCII codes; everything beyond is always encoded.
 */
export type EncodeSet = Uint8Array;

function extend(base: EncodeSet | null, characters: string): EncodeSet {
  const set = new Uint8Array(128);
  if (base === null) {
    set.fill(1, 0, 0x20);
    set[0x7f] = 1;
  } else {
    set.set(base);
  }
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

export const CONTROL_SET = extend(null, "");
export const FRAGMENT_SET = extend(CONTROL_SET, ' "<>`');
export const QUERY_SET = extend(CONTROL_SET, ' "#<>');
export const SPECIAL_QUERY_SET = extend(QUERY_SET, "'");
export const PATH_SET = extend(QUERY_SET, "?`{}");
export const USERINFO_SET = extend(PATH_SET, "/:;=@[\\]^|");
/** What `application/x-www-form-urlencoded` encodes; the space becomes a plus there. */
export const FORM_SET = extend(USERINFO_SET, "$%&+,!'()~");

export const HEX = Array.from(
  { length: 256 },
  (_, byte) => `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`,
);

export function percentEncode(text: string, set: EncodeSet): string {
  let start = 0;
  while (start < text.length) {
    const unit = text.charCodeAt(start);
    if (unit >= 128 || set[unit] === 1) break;
    start++;
  }
  if (start === text.length) return text;
  let output = text.slice(0, start);
  for (const byte of utf8Of(text.slice(start))) {
    output += byte >= 128 || set[byte] === 1 ? HEX[byte]! : String.fromCharCode(byte);
  }
  return output;
}

/** The bytes that a text with `%XX` stands for; a percent sign without two hex digits stands for itself. */
export function percentDecode(text: string): Uint8Array {
  return percentDecodeBytes(utf8Of(text));
}

/** Decodes in place. */
export function percentDecodeBytes(bytes: Uint8Array): Uint8Array {
  let to = 0;
  for (let from = 0; from < bytes.length; from++) {
    let byte = bytes[from]!;
    if (byte === 0x25) {
      const high = hexDigit(bytes[from + 1]);
      const low = hexDigit(bytes[from + 2]);
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        from += 2;
      }
    }
    bytes[to++] = byte;
  }
  return bytes.subarray(0, to);
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
