import { parseURL, serializeHost } from "whatwg-url";
import { unsupported } from "../machine/host.ts";
import { decodeUtf8 } from "./text-encoding-utf8.ts";
import { CONTROL_SET, percentDecode, percentEncode } from "./url-percent.ts";

/**
 * The host parser of the URL standard. IP addresses and international names are whatwg-url's work; what
 * surrounds them is decided here, since Node 20 (ada 2.9) and whatwg-url 15 disagree on some 10,000 code
 * points of IDNA, on bidirectional names and on joiners. International names of scripts on which the two
 * agree are accepted; a name outside of these ends the run.
 */
export function parseHost(text: string, isOpaque: boolean): string | null {
  if (text.startsWith("[")) return /^\[[0-9A-Fa-f:.]*\]$/.test(text) ? fromLibrary(text) : null;
  if (isOpaque) return OPAQUE_FORBIDDEN.test(text) ? null : percentEncode(text, CONTROL_SET);
  if (isPlainName(text)) return text.toLowerCase();
  const { text: domain, pending } = decodeUtf8(percentDecode(text));
  // Invalid whatever stands beside it: a forbidden character, or bytes that are no UTF-8.
  if (DOMAIN_FORBIDDEN.test(domain) || pending.length > 0) return null;
  if (/[^\0-\x7f]|xn--/i.test(domain)) refuseUncertain(domain);
  return fromLibrary(percentEncodeAll(domain));
}

/** Names that stay as they are, apart from case: no escapes, no number at the end, no punycode. */
function isPlainName(text: string): boolean {
  const end = text.endsWith(".") ? text.length - 1 : text.length;
  const lastStart = text.lastIndexOf(".", end - 1) + 1;
  return /^[a-z0-9._-]+$/i.test(text) && !/xn--/i.test(text) && /[a-z_-]/i.test(text.charAt(lastStart));
}

const OPAQUE_FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const DOMAIN_FORBIDDEN = /[\0-\x20#%/:<>?@[\\\]^|\x7f\ufffd]/;

/** Punycode takes quadratic time, and no real name is this long. */
const INTERNATIONAL_LENGTH_MAX = 253;

/** Letters whose treatment is the same everywhere: no marks, no right-to-left scripts, no joiners. */
const CERTAIN =
  /^[\0-\x7f\u00c0-\u02af\u0386-\u03ff\u0400-\u0482\u048a-\u04bf\u04c1-\u052f\u1e00-\u1e9d\u1ea0-\u1eff\u3005\u3041-\u3096\u30a1-\u30fe\u3400-\u4db5\u4e00-\u9fcc\uac00-\ud7a3\u3002\u{1f300}-\u{1f64f}]*$/u;

function refuseUncertain(domain: string): void {
  if (domain.length <= INTERNATIONAL_LENGTH_MAX && CERTAIN.test(decodedLabels(domain))) return;
  unsupported(`the international host name '${domain.slice(0, INTERNATIONAL_LENGTH_MAX)}' in a URL`);
}

function fromLibrary(text: string): string | null {
  const parsed = parseURL(`http://${text}/`);
  return parsed === null || parsed.host === null || parsed.host === "" ? null : serializeHost(parsed.host);
}

function percentEncodeAll(domain: string): string {
  return domain.replace(/[^\w.-]/gu, (character) => encodeURIComponent(character));
}

/** The name with the characters that its punycode labels stand for. */
function decodedLabels(domain: string): string {
  return domain
    .split(".")
    .map((label) => (/^xn--/i.test(label) ? decodePunycode(label.slice(4)) : label))
    .join(".");
}

/**
 * RFC 3492, section 6.2. Gives a character that is refused when the digits do not decode, or to ASCII only:
 * Node 20 lets some of those pass.
 */
function decodePunycode(label: string): string {
  const REFUSED = "\u200d";
  const dash = label.lastIndexOf("-");
  const output = Array.from(label.slice(0, Math.max(dash, 0)), (character) => character.charCodeAt(0));
  let code = 128;
  let bias = 72;
  let index = 0;
  let at = dash < 0 ? 0 : dash + 1;
  while (at < label.length) {
    const start = index;
    let weight = 1;
    for (let k = 36; ; k += 36) {
      const digit = punycodeDigit(label.charCodeAt(at++));
      if (digit < 0) return REFUSED;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, 1), 26);
      if (digit < threshold) break;
      weight *= 36 - threshold;
      if (weight > 2 ** 31) return REFUSED;
    }
    bias = adapt(index - start, output.length + 1, start === 0);
    code += Math.floor(index / (output.length + 1));
    index %= output.length + 1;
    if (code > 0x10ffff) return REFUSED;
    output.splice(index++, 0, code);
  }
  return output.some((point) => point >= 128) ? String.fromCodePoint(...output) : REFUSED;
}

function punycodeDigit(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 22;
  const lower = unit | 0x20;
  return lower >= 97 && lower <= 122 ? lower - 97 : -1;
}

function adapt(delta: number, points: number, first: boolean): number {
  let scaled = first ? Math.floor(delta / 700) : delta >> 1;
  scaled += Math.floor(scaled / points);
  let k = 0;
  for (; scaled > 455; k += 36) scaled = Math.floor(scaled / 35);
  return k + Math.floor((36 * scaled) / (scaled + 38));
}
