// Case mappings and foldings, read off the host's own functions; foldings are not exposed by the
// language, so they are observed through case-insensitive matching.
import { CODE_POINT_MAX, codePointsOf, escapeOf, rangesOf } from "./native-sets.mjs";

/** Maps to one code point apart from maps to several, for `toLowerCase` or `toUpperCase`. */
export function caseMapping(method) {
  const single = [];
  const expanded = [];
  for (let codePoint = 0; codePoint <= CODE_POINT_MAX; codePoint++) {
    const from = String.fromCodePoint(codePoint);
    const to = Array.from(from[method](), (letter) => letter.codePointAt(0));
    if (to.length > 1) expanded.push([codePoint, to]);
    else if (to[0] !== codePoint) single.push([codePoint, to[0]]);
  }
  return { single, expanded };
}

/** The simple folding of every member of a case-insensitive class of /iu. */
export function simpleFolding() {
  const classes = caseClasses();
  checkNothingElseFolds(classes);
  const entries = [];
  for (const [codePoint, members] of classes) {
    // A string of a set is folded and a single character is not, so their intersection is empty
    // unless the character is its own folding.
    const folded = members.filter((member) =>
      new RegExp(`^[\\q{${escapeOf(codePoint)}}&&${escapeOf(member)}]$`, "iv").test(String.fromCodePoint(member)),
    );
    if (folded.length !== 1) throw new Error(`no single folding of ${codePoint.toString(16)}`);
    if (folded[0] !== codePoint) entries.push([codePoint, folded[0]]);
  }
  return entries;
}

/** Foldings to several code points, which only back-references of /iu use. */
export function fullFolding() {
  const entries = [];
  for (let codePoint = 0; codePoint <= CODE_POINT_MAX; codePoint++) {
    const letter = String.fromCodePoint(codePoint);
    const expansion = letter.toLowerCase().toUpperCase().toLowerCase();
    const members = Array.from(expansion, (member) => member.codePointAt(0));
    if (members.length < 2) continue;
    // The wide letter at the end keeps the host from its byte-wise comparison of Latin-1 text.
    const matcher = new RegExp(`^(${letter}${expansion})\\1\u1234$`, "iu");
    if (!matcher.test(`${letter}${expansion}${expansion}${letter}\u1234`)) {
      throw new Error(`unexpected folding of ${codePoint.toString(16)}`);
    }
    entries.push([codePoint, members]);
  }
  return entries;
}

function caseClasses() {
  const text =
    String.fromCodePoint(...withoutSurrogates(0, 0x7fff)) +
    String.fromCodePoint(...withoutSurrogates(0x8000, 0xffff)) +
    String.fromCodePoint(...withoutSurrogates(0x10000, 0x17fff)) +
    String.fromCodePoint(...withoutSurrogates(0x18000, 0x1ffff));
  const classes = new Map();
  for (const codePoint of codePointsOf(rangesOf("[\\p{CWCM}\\p{CWCF}\\p{CWKCF}\\p{Cased}\\p{CI}]"))) {
    if (codePoint > 0x1ffff) continue;
    const members = text.match(new RegExp(escapeOf(codePoint), "giu"));
    if (members.length > 1)
      classes.set(
        codePoint,
        members.map((member) => member.codePointAt(0)),
      );
  }
  return classes;
}

function checkNothingElseFolds(classes) {
  const others = [];
  for (let codePoint = 0; codePoint <= CODE_POINT_MAX; codePoint++) {
    if (classes.has(codePoint)) continue;
    const last = others.at(-1);
    if (last !== undefined && last[1] + 1 === codePoint) last[1] = codePoint;
    else others.push([codePoint, codePoint]);
  }
  const pattern = others.map(([from, to]) => `${escapeOf(from)}-${escapeOf(to)}`).join("");
  if (JSON.stringify(rangesOf(`[${pattern}]`, "iu")) !== JSON.stringify(others)) {
    throw new Error("a code point outside the case classes folds");
  }
}

function withoutSurrogates(from, to) {
  const codePoints = [];
  for (let codePoint = from; codePoint <= to; codePoint++) {
    if (codePoint < 0xd800 || codePoint > 0xdfff) codePoints.push(codePoint);
  }
  return codePoints;
}
