// Which code points a pattern of the host matches, found by running it over all of Unicode at once.
// Lone surrogates are code points too; the string is cut between the lead and the trail surrogates,
// since the last lead would otherwise form a pair with the first trail.

export const CODE_POINT_MAX = 0x10ffff;
const HALVES = [textOf(0, 0xdbff), textOf(0xdc00, CODE_POINT_MAX)];

export function rangesOf(pattern, flags = "u") {
  const matcher = new RegExp(`(?:${pattern})+`, `g${flags}`);
  const ranges = [];
  for (const half of HALVES) {
    for (const match of half.matchAll(matcher)) {
      const from = match[0].codePointAt(0);
      const to = from + lengthOf(match[0]) - 1;
      const last = ranges.at(-1);
      if (last !== undefined && last[1] + 1 === from) last[1] = to;
      else ranges.push([from, to]);
    }
  }
  return ranges;
}

export function* codePointsOf(ranges) {
  for (const [from, to] of ranges) for (let codePoint = from; codePoint <= to; codePoint++) yield codePoint;
}

export function escapeOf(codePoint) {
  return `\\u{${codePoint.toString(16)}}`;
}

function textOf(from, to) {
  const parts = [];
  for (let codePoint = from; codePoint <= to; codePoint++) parts.push(String.fromCodePoint(codePoint));
  return parts.join("");
}

function lengthOf(text) {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
