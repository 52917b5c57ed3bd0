/**
 * A set of code points: inclusive ranges, flattened (from, to, from, to…), sorted, neither overlapping
 * nor touching, so that equal sets are equal lists. All functions keep to this form and change nothing
 * they are given.
 */
export type CodePointSet = readonly number[];

export const CODE_POINT_MAX = 0x10ffff;
export const ALL_CODE_POINTS: CodePointSet = [0, CODE_POINT_MAX];

/** Ranges in any order, which may overlap. */
export function setFromRanges(ranges: readonly number[]): CodePointSet {
  if (isCanonical(ranges)) return ranges;
  // A range in one number, so that sorting needs no comparison function: from is below 2^21, to too.
  const packed = new Float64Array(ranges.length >> 1);
  for (let index = 0; index < packed.length; index++) {
    packed[index] = at(ranges, 2 * index) * 2 ** 21 + at(ranges, 2 * index + 1);
  }
  packed.sort();
  const result: number[] = [];
  for (const range of packed) addRange(result, Math.floor(range / 2 ** 21), range % 2 ** 21);
  return result;
}

export function hasCodePoint(set: CodePointSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint > at(set, 2 * middle + 1)) low = middle + 1;
    else high = middle;
  }
  return 2 * low < set.length && codePoint >= at(set, 2 * low);
}

export function unite(one: CodePointSet, two: CodePointSet): CodePointSet {
  if (one.length === 0) return two;
  if (two.length === 0) return one;
  const result: number[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length || right < two.length) {
    if (right >= two.length || (left < one.length && at(one, left) <= at(two, right))) {
      addRange(result, at(one, left), at(one, left + 1));
      left += 2;
    } else {
      addRange(result, at(two, right), at(two, right + 1));
      right += 2;
    }
  }
  return result;
}

export function intersect(one: CodePointSet, two: CodePointSet): CodePointSet {
  const result: number[] = [];
  let left = 0;
  let right = 0;
  while (left < one.length && right < two.length) {
    const from = Math.max(at(one, left), at(two, right));
    const to = Math.min(at(one, left + 1), at(two, right + 1));
    if (from <= to) result.push(from, to);
    if (at(one, left + 1) < at(two, right + 1)) left += 2;
    else right += 2;
  }
  return result;
}

export function subtract(one: CodePointSet, two: CodePointSet): CodePointSet {
  return intersect(one, complement(two));
}

export function complement(set: CodePointSet): CodePointSet {
  const result: number[] = [];
  let next = 0;
  for (let index = 0; index < set.length; index += 2) {
    if (at(set, index) > next) result.push(next, at(set, index) - 1);
    next = at(set, index + 1) + 1;
  }
  if (next <= CODE_POINT_MAX) result.push(next, CODE_POINT_MAX);
  return result;
}

export function sizeOf(set: CodePointSet): number {
  let size = 0;
  for (let index = 0; index < set.length; index += 2) size += at(set, index + 1) - at(set, index) + 1;
  return size;
}

function addRange(result: number[], from: number, to: number): void {
  const last = result.length - 1;
  const end = result[last];
  if (end !== undefined && from <= end + 1) result[last] = Math.max(end, to);
  else result.push(from, to);
}

function isCanonical(ranges: readonly number[]): boolean {
  let next = -1;
  for (let index = 0; index < ranges.length; index += 2) {
    if (at(ranges, index) <= next) return false;
    next = at(ranges, index + 1) + 1;
  }
  return true;
}

function at(set: readonly number[], index: number): number {
  return set[index] ?? 0;
}
