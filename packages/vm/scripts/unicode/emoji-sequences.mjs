// The members of the properties of strings. The host only answers whether a given string is a member,
// so candidates are made from the structures Unicode uses and kept if the host accepts them. Joined
// sequences of two elements are tried exhaustively; longer ones have a person at their ends, or extend
// a shorter sequence.
import { codePointsOf, rangesOf } from "./native-sets.mjs";

const JOINER = "\u200d";
const EMOJI_STYLE = "\ufe0f";
const MODIFIERS = ["\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"];
const PEOPLE = ["\u{1f468}", "\u{1f469}", "\u{1f9d1}"];
const CHILDREN = ["\u{1f466}", "\u{1f467}", "\u{1f9d2}"];

export function emojiSequences() {
  const emoji = [...codePointsOf(rangesOf("\\p{Emoji}"))].map((codePoint) => String.fromCodePoint(codePoint));
  const candidates = {
    Basic_Emoji: emoji.flatMap((one) => [one, one + EMOJI_STYLE]),
    Emoji_Keycap_Sequence: emoji.map((one) => `${one}${EMOJI_STYLE}\u20e3`),
    RGI_Emoji_Modifier_Sequence: emoji.flatMap((one) => MODIFIERS.map((modifier) => one + modifier)),
    RGI_Emoji_Flag_Sequence: flagCandidates(),
    RGI_Emoji_Tag_Sequence: tagCandidates(),
  };
  const members = {};
  for (const [property, strings] of Object.entries(candidates)) {
    members[property] = accepted(property, strings);
  }
  members.RGI_Emoji_ZWJ_Sequence = joinedSequences(emoji);
  const all = Object.values(members).flat();
  members.RGI_Emoji = accepted("RGI_Emoji", all);
  if (members.RGI_Emoji.length !== all.length) throw new Error("RGI_Emoji is not the union of its parts");
  return members;
}

function joinedSequences(emoji) {
  const property = "RGI_Emoji_ZWJ_Sequence";
  const elements = emoji.flatMap((one) => [one, one + EMOJI_STYLE, ...MODIFIERS.map((modifier) => one + modifier)]);
  const shown = accepted("RGI_Emoji", elements);
  // ♀, ♂ and the like appear inside sequences only with the style selector, and the bases of some
  // sequences are shown as text when alone.
  const parts = [...new Set([...shown, ...emoji, ...emoji.map((one) => one + EMOJI_STYLE)])];
  const people = PEOPLE.flatMap((one) => [one, ...MODIFIERS.map((modifier) => one + modifier)]);
  const family = [...PEOPLE, ...CHILDREN];
  const pairs = accepted(property, product(parts, parts));
  const three = accepted(property, product(people, parts, people));
  const extended = accepted(property, product(pairs, parts));
  const prefixed = accepted(property, product(people, pairs));
  const kisses = accepted(property, product(people, ["\u2764\ufe0f"], parts, people));
  const families = accepted(property, [...product(family, family, family), ...product(family, family, family, family)]);
  const found = new Set([...pairs, ...three, ...extended, ...prefixed, ...kisses, ...families]);
  const longer = accepted(property, [...product([...found], family), ...product([...found], ["\u27a1\ufe0f"])]);
  return [...new Set([...found, ...longer])];
}

function* product(first, ...rest) {
  if (rest.length === 0) yield* first;
  else for (const head of first) for (const tail of product(...rest)) yield head + JOINER + tail;
}

function flagCandidates() {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCodePoint(0x1f1e6 + index));
  return letters.flatMap((one) => letters.map((two) => one + two));
}

/** Black flag, tag letters, cancel tag: the regions in use have five or six tag characters. */
function tagCandidates() {
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
  const endings = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const regions = ["gb", "us", "ca", "es"].flatMap((country) => endings.map((ending) => country + ending));
  return regions.map((region) => `\u{1f3f4}${tagged(region)}\u{e007f}`);
}

function tagged(text) {
  return Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0))).join("");
}

function accepted(property, candidates) {
  const matcher = new RegExp(`^\\p{${property}}$`, "v");
  const members = [];
  for (const candidate of candidates) if (matcher.test(candidate)) members.push(candidate);
  return members;
}
