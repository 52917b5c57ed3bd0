// Decompositions, combining classes and composition exclusions, read off the host's normalize().
// Hangul syllables are left out: they are composed by arithmetic.
import { CODE_POINT_MAX } from "./native-sets.mjs";

const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;
const LOWEST_CLASS = "\u0334";
const HIGHEST_CLASS = "\u0345";

export function decompositions() {
  const canonical = [];
  const compatible = [];
  for (const [codePoint, letter] of letters()) {
    const nfd = letter.normalize("NFD");
    const nfkd = letter.normalize("NFKD");
    if (nfd !== letter) canonical.push([codePoint, codePointsIn(nfd)]);
    if (nfkd !== nfd) compatible.push([codePoint, codePointsIn(nfkd)]);
  }
  return { canonical, compatible };
}

/** Code points with a canonical decomposition that are never composed again. */
export function compositionExclusions() {
  const excluded = [];
  for (const [codePoint, letter] of letters()) {
    if (letter.normalize("NFD") !== letter && letter.normalize("NFC") !== letter) excluded.push(codePoint);
  }
  return excluded.map((codePoint) => [codePoint, codePoint]);
}

/**
 * Code points by combining class, lowest first. The numbers of the classes cannot be observed, only
 * their order, and nothing but the order is needed.
 */
export function combiningClasses() {
  const classes = [];
  for (const [codePoint, mark] of letters()) {
    if (mark.normalize("NFD") !== mark || !isCombining(mark)) continue;
    let low = 0;
    let high = classes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (swaps(mark, classes[middle].mark)) low = middle + 1;
      else high = middle;
    }
    const candidate = classes[low];
    if (candidate !== undefined && !swaps(candidate.mark, mark)) candidate.members.push(codePoint);
    else classes.splice(low, 0, { mark, members: [codePoint] });
  }
  return classes.map(({ members }) => members.map((codePoint) => [codePoint, codePoint]));
}

function isCombining(mark) {
  return swaps(mark, LOWEST_CLASS) || swaps(HIGHEST_CLASS, mark) || mark === LOWEST_CLASS;
}

function swaps(first, second) {
  return (first + second).normalize("NFD") !== first + second;
}

function* letters() {
  for (let codePoint = 0; codePoint <= CODE_POINT_MAX; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    if (codePoint >= HANGUL_FIRST && codePoint <= HANGUL_LAST) continue;
    yield [codePoint, String.fromCodePoint(codePoint)];
  }
}

function codePointsIn(text) {
  return Array.from(text, (letter) => letter.codePointAt(0));
}
