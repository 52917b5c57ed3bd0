// Reads the tables in data/: little-endian groups of five bits, one base64 letter each, the sixth bit
// saying that another group follows. scripts/unicode/encode.mjs is the writer.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  let shift = 0;
  for (let index = 0; index < text.length; index++) {
    const group = GROUPS[text.charCodeAt(index)] ?? 0;
    number |= (group & 31) << shift;
    shift += 5;
    if (group < 32) {
      numbers.push(number);
      number = 0;
      shift = 0;
    }
  }
  return numbers;
}

/** Inclusive ranges, flattened: from, to, from, to… */
export function decodeRanges(text: string): number[] {
  const ranges = decodeNumbers(text);
  let next = 0;
  for (let index = 0; index < ranges.length; index++) {
    next += ranges[index] ?? 0;
    ranges[index] = next;
    if (index % 2 === 1) next++;
  }
  return ranges;
}

/** A map of code points to one code point each, flattened: from, to, from, to… */
export function decodeMapping(text: string): number[] {
  const pairs = decodeNumbers(text);
  let next = 0;
  let distance = 0;
  for (let index = 0; index < pairs.length; index += 2) {
    const from = next + (pairs[index] ?? 0);
    distance += unzigzag(pairs[index + 1] ?? 0);
    pairs[index] = from;
    pairs[index + 1] = from + distance;
    next = from + 1;
  }
  return pairs;
}

export function decodeExpansions(text: string): Map<number, readonly number[]> {
  const numbers = decodeNumbers(text);
  const expansions = new Map<number, readonly number[]>();
  let next = 0;
  let last = 0;
  for (let index = 0; index < numbers.length;) {
    const from = next + (numbers[index] ?? 0);
    const length = numbers[index + 1] ?? 0;
    const members: number[] = [];
    for (let member = 0; member < length; member++) {
      last += unzigzag(numbers[index + 2 + member] ?? 0);
      members.push(last);
    }
    expansions.set(from, members);
    next = from + 1;
    index += 2 + length;
  }
  return expansions;
}

/** Sorted code point strings, each sharing a prefix with the one before. */
export function decodeStrings(text: string): number[][] {
  const numbers = decodeNumbers(text);
  const strings: number[][] = [];
  let last: number[] = [];
  for (let index = 0; index < numbers.length;) {
    const shared = numbers[index] ?? 0;
    const added = numbers[index + 1] ?? 0;
    last = [...last.slice(0, shared), ...numbers.slice(index + 2, index + 2 + added)];
    strings.push(last);
    index += 2 + added;
  }
  return strings;
}

/**
 * A table decoded when it is first asked for. Decoding all of them takes about as long as starting the
 * VM, and most programs need none.
 */
export function lazily<Table>(decode: () => Table): () => Table {
  let table: Table | undefined;
  return () => (table ??= decode());
}

const GROUPS = groupsByCharCode();

function groupsByCharCode(): Uint8Array {
  const groups = new Uint8Array(128);
  for (let group = 0; group < ALPHABET.length; group++) groups[ALPHABET.charCodeAt(group)] = group;
  return groups;
}

function unzigzag(number: number): number {
  return number & 1 ? -((number + 1) >> 1) : number >> 1;
}
