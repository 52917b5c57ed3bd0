import type { HostTable } from "./host-table.ts";
import { throwDomException } from "./error.ts";
import { requireArguments } from "./node-error.ts";
import { chargeText, toText } from "./string-conversion.ts";

export const base64Builtins: HostTable = {
  atob: {
    call(context, _self, args) {
      requireArguments(context, args, "input");
      const text = toText(context, args[0]);
      context.charge(4 + text.length / 2, text.length);
      const decoded = decodeBase64(text);
      if (typeof decoded !== "string") throwDomException(context, "InvalidCharacterError", decoded.problem);
      return decoded;
    },
  },
  btoa: {
    call(context, _self, args) {
      requireArguments(context, args, "input");
      const text = toText(context, args[0]);
      context.charge(text.length / 2, 0);
      chargeText(context, Math.ceil(text.length / 3) * 4);
      const encoded = encodeBase64(text);
      return encoded ?? throwDomException(context, "InvalidCharacterError", "Invalid character");
    },
  },
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 64; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/** Null when a character is beyond U+00FF. */
function encodeBase64(text: string): string | null {
  let output = "";
  for (let at = 0; at < text.length; at += 3) {
    const left = text.length - at;
    const a = text.charCodeAt(at);
    const b = left > 1 ? text.charCodeAt(at + 1) : 0;
    const c = left > 2 ? text.charCodeAt(at + 2) : 0;
    if ((a | b | c) > 255) return null;
    output += ALPHABET[a >> 2]! + ALPHABET[((a & 3) << 4) | (b >> 4)]!;
    output += left > 1 ? ALPHABET[((b & 15) << 2) | (c >> 6)]! : "=";
    output += left > 2 ? ALPHABET[c & 63]! : "=";
  }
  return output;
}

const INVALID = { problem: "Invalid character" };
const CUT = { problem: "The string to be decoded is not correctly encoded." };

/** Forgiving: white space anywhere, padding may be missing, bits that are left over are dropped. */
function decodeBase64(text: string): string | { problem: string } {
  let output = "";
  let bits = 0;
  let digits = 0;
  let padding = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d) continue;
    if (unit === 0x3d) {
      padding++;
      continue;
    }
    const digit = unit < 128 ? DIGITS[unit]! : -1;
    if (digit < 0 || padding > 0) return INVALID;
    bits = ((bits << 6) | digit) & 0xffffff;
    if (++digits % 4 === 0) output += String.fromCharCode(bits >> 16, (bits >> 8) & 255, bits & 255);
  }
  const rest = digits % 4;
  if (rest === 1 && padding < 3) return CUT;
  if (padding > 0 && (rest < 2 || rest + padding !== 4)) return INVALID;
  if (rest === 2) output += String.fromCharCode((bits >> 4) & 255);
  if (rest === 3) output += String.fromCharCode((bits >> 10) & 255, (bits >> 2) & 255);
  return output;
}
