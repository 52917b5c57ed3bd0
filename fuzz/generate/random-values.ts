import type { Random } from "../run/random.ts";

/** Source text of a random number: small and huge ones, fractions, and neighbours of the limits. */
export function randomNumber(random: Random): string {
  switch (random.below(8)) {
    case 0:
      return String(random.below(20) - 10);
    case 1:
      return String((random.next() - 2 ** 31) / 2 ** random.below(40));
    case 2:
      return String(random.next() * 2 ** random.below(60));
    case 3:
      return bitsNumber(random);
    case 4:
      return `${random.below(1000)}.${random.below(1000)}e${random.below(40) - 20}`;
    case 5:
      return String(random.pick([2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63]) + random.below(5) - 2);
    case 6:
      return String(random.below(1_000_000) / 1000);
    default:
      return random.pick([
        "0",
        "-0",
        "NaN",
        "Infinity",
        "-Infinity",
        "Number.MIN_VALUE",
        "Number.MAX_VALUE",
        "Number.EPSILON",
      ]);
  }
}

/** Any double at all. */
function bitsNumber(random: Random): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, random.next());
  view.setUint32(4, random.next());
  return String(view.getFloat64(0));
}

const ALPHABETS = [
  "ab",
  "abc012 ",
  "aAbBzZ",
  "0123456789.-+eE",
  "äößÄẞıİſKς",
  "\\u0000\n\t\"'`$",
  "😀👍🏽é\u0301",
  "\ud800\udc00\udfff",
  "<>&%=/?#:@[]",
  "\u00a0\u2028\ufeff ",
];

/** Source text of a random string. */
export function randomString(random: Random, lengthMax = 12): string {
  return JSON.stringify(randomText(random, lengthMax)).replaceAll("\u2028", "\\u2028");
}

function randomText(random: Random, lengthMax = 12): string {
  const alphabet = random.pick(ALPHABETS);
  const length = random.below(lengthMax + 1);
  let text = "";
  for (let index = 0; index < length; index++)
    text += random.chance(0.85) ? alphabet[random.below(alphabet.length)]! : String.fromCharCode(random.below(0x10000));
  return text;
}

/** Source text of a random array. */
export function randomArray(random: Random): string {
  const length = random.below(random.chance(0.2) ? 60 : 7);
  const item = random.pick([
    () => String(random.below(10)),
    () => randomNumber(random),
    () => randomString(random, 3),
    () => random.pick(["null", "undefined", "true", "", "[1]", "{ k: 1 }", "5n", "NaN", "-0"]),
  ]);
  const mixed = random.chance(0.3);
  const items = Array.from({ length }, () =>
    mixed ? random.pick([() => String(random.below(10)), () => randomString(random, 3), item])() : item(),
  );
  return `[${items.join(", ")}]`;
}
