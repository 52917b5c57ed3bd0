import { decodeUtf8, utf8Of } from "./text-encoding-utf8.ts";
import { FORM_SET, HEX, percentDecodeBytes } from "./url-percent.ts";

/** `application/x-www-form-urlencoded`: the text of URLSearchParams. */

/** A question mark at the start does not count. */
export function parseForm(query: string): [string, string][] {
  const text = query.startsWith("?") ? query.slice(1) : query;
  const pairs: [string, string][] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    if (equals < 0) pairs.push([decodePart(part), ""]);
    else pairs.push([decodePart(part.slice(0, equals)), decodePart(part.slice(equals + 1))]);
  }
  return pairs;
}

function decodePart(part: string): string {
  const spaced = part.replaceAll("+", " ");
  if (!mayBeEncoded(part)) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeLoosely(spaced);
  }
}

/** Whether two hex digits follow a percent sign; a plus between them does not count, to Node 20. */
function mayBeEncoded(part: string): boolean {
  return part.includes("%") && /%\+*[0-9A-Fa-f]\+*[0-9A-Fa-f]/.test(part);
}

/** What is not valid as a whole: Node 20 then keeps only the lower byte of every character. */
function decodeLoosely(text: string): string {
  const bytes = percentDecodeBytes(Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)));
  const decoded = decodeUtf8(bytes);
  return decoded.pending.length > 0 ? `${decoded.text}\ufffd` : decoded.text;
}

export function serializeForm(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join("&");
}

function encodePart(text: string): string {
  let output = "";
  for (const byte of utf8Of(text)) {
    if (byte === 0x20) output += "+";
    else output += byte >= 128 || FORM_SET[byte] === 1 ? HEX[byte]! : String.fromCharCode(byte);
  }
  return output;
}
