import { lengthOf } from "./array-length.ts";
import { toString } from "./operators.ts";
import { type Sort, gallopLeft, gallopRight, mergeHigh, mergeLow } from "./sort-merge.ts";

/**
 * Array.prototype.sort as V8 does it: TimSort (Tim Peters' listsort, described in CPython's listsort.txt), working
 * on a copy. Which pairs a comparator sees, and in which order, is observable, so run lengths, galloping and the
 * order of merges follow it exactly. Only `order < 0` ever matters; unary plus is ToNumber, NaN counts as equal.
 */
export function Array_prototype_sort(this: unknown, comparator: unknown): unknown {
  requireComparator(comparator);
  const object = $.toObject(this, "");
  const length = lengthOf(object);
  if (length < 2) return object;
  const list = $.sortable(object, length);
  const undefinedCount = $.undefinedCount(object, length, false);
  sortList(list, comparator);
  $.storeSorted(object, list, undefinedCount, length);
  return object;
}

export function Array_prototype_toSorted(this: unknown, comparator: unknown): unknown[] {
  requireComparator(comparator);
  const object = $.toObject(this, "");
  const length = lengthOf(object);
  if (length > 4294967295) throw new RangeError("Invalid array length");
  const list = $.sortable(object, length);
  const undefinedCount = $.undefinedCount(object, length, true);
  sortList(list, comparator);
  $.appendUndefined(list, undefinedCount);
  return list;
}

function requireComparator(comparator: unknown): void {
  if (comparator !== undefined && !$.isCallable(comparator)) {
    throw new TypeError("The comparison function must be either a function or undefined");
  }
}

/** Sorts a list of the prelude's own in place. */
export function sortList(list: unknown[], comparator: unknown): void {
  const length = list.length;
  if (length < 2 || (comparator === undefined && $.sortPrimitives(list))) return;
  const compare = comparator === undefined ? compareTexts : comparator;
  const sort: Sort = { list, compare, runs: [], count: 0, minGallop: 7 };
  const minRun = minRunLength(length);
  let low = 0;
  while (low < length) {
    let run = countRun(list, compare, low, length);
    if (run < minRun) {
      const forced = Math.min(minRun, length - low);
      insertInto(list, compare, low, low + run, low + forced);
      run = forced;
    }
    sort.runs[sort.count * 2] = low;
    sort.runs[sort.count * 2 + 1] = run;
    sort.count++;
    mergeCollapse(sort);
    low += run;
  }
  while (sort.count > 1) {
    let at = sort.count - 2;
    if (at > 0 && runLength(sort, at - 1) < runLength(sort, at + 1)) at--;
    mergeAt(sort, at);
  }
}

/** The default order: both texts are made anew for every comparison, which objects can observe. */
function compareTexts(left: unknown, right: unknown): number {
  const leftText = toString(left);
  const rightText = toString(right);
  return leftText < rightText ? -1 : rightText < leftText ? 1 : 0;
}

/** Short runs are extended to this many elements: the length itself below 64, else 32 to 64. */
function minRunLength(length: number): number {
  let rest = length;
  let odd = 0;
  while (rest >= 64) {
    odd |= rest & 1;
    rest >>= 1;
  }
  return rest + odd;
}

/** The length of the run that starts at `low`; a strictly descending one is turned round. */
function countRun(list: unknown[], compare: unknown, low: number, high: number): number {
  if (low + 1 === high) return 1;
  let length = 2;
  const descending = +($.call(compare, undefined, list[low + 1], list[low]) as number) < 0;
  for (let index = low + 2; index < high; index++) {
    const isLess = +($.call(compare, undefined, list[index], list[index - 1]) as number) < 0;
    if (isLess !== descending) break;
    length++;
  }
  if (descending) $.reverseRange(list, low, low + length);
  return length;
}

/** Binary insertion: `low` … `start` is sorted, everything up to `high` is inserted. */
function insertInto(list: unknown[], compare: unknown, low: number, start: number, high: number): void {
  for (let next = start; next < high; next++) {
    const pivot = list[next];
    let left = low;
    let right = next;
    while (left < right) {
      const middle = left + ((right - left) >> 1);
      if (+($.call(compare, undefined, pivot, list[middle]) as number) < 0) right = middle;
      else left = middle + 1;
    }
    $.copyRange(list, left, list, left + 1, next - left);
    list[left] = pivot;
  }
}

function runLength(sort: Sort, run: number): number {
  return sort.runs[run * 2 + 1]!;
}

/** Each run is longer than the two after it together: true for those that do not have two before them. */
function isBalanced(sort: Sort, run: number): boolean {
  return run < 2 || runLength(sort, run - 2) > runLength(sort, run - 1) + runLength(sort, run);
}

function mergeCollapse(sort: Sort): void {
  while (sort.count > 1) {
    let at = sort.count - 2;
    if (!isBalanced(sort, at + 1) || !isBalanced(sort, at)) {
      if (runLength(sort, at - 1) < runLength(sort, at + 1)) at--;
    } else if (runLength(sort, at) > runLength(sort, at + 1)) {
      return;
    }
    mergeAt(sort, at);
  }
}

/** Merges the run at `at` with the one after it. */
function mergeAt(sort: Sort, at: number): void {
  const { list, compare, runs } = sort;
  let baseA = runs[at * 2]!;
  let lengthA = runs[at * 2 + 1]!;
  const baseB = runs[at * 2 + 2]!;
  let lengthB = runs[at * 2 + 3]!;
  runs[at * 2 + 1] = lengthA + lengthB;
  if (at === sort.count - 3) {
    runs[at * 2 + 2] = runs[at * 2 + 4]!;
    runs[at * 2 + 3] = runs[at * 2 + 5]!;
  }
  sort.count--;
  // What of A lies before B's first element, and of B after A's last, is in place.
  const placed = gallopRight(list, compare, list[baseB], baseA, lengthA, 0);
  baseA += placed;
  lengthA -= placed;
  if (lengthA === 0) return;
  lengthB = gallopLeft(list, compare, list[baseA + lengthA - 1], baseB, lengthB, lengthB - 1);
  if (lengthB === 0) return;
  if (lengthA <= lengthB) mergeLow(sort, baseA, lengthA, baseB, lengthB);
  else mergeHigh(sort, baseA, lengthA, baseB, lengthB);
}
