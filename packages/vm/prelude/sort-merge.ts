/** The merges of TimSort, and the galloping search that they share with its callers. See `sort.ts`. */
export interface Sort {
  readonly list: unknown[];
  readonly compare: unknown;
  /** Runs not yet merged: start and length in turn; `count` of them. */
  readonly runs: number[];
  count: number;
  /** How often one run must win in a row before galloping starts: adapts to the data. */
  minGallop: number;
}

const MIN_GALLOP_WINS = 7;

/** Where `key` goes in a sorted range, before its equals; the search widens from `hint`. */
export function gallopLeft(
  list: unknown[],
  compare: unknown,
  key: unknown,
  base: number,
  length: number,
  hint: number,
): number {
  let last = 0;
  let offset = 1;
  if (+($.call(compare, undefined, list[base + hint], key) as number) < 0) {
    const most = length - hint;
    while (offset < most && +($.call(compare, undefined, list[base + hint + offset], key) as number) < 0) {
      last = offset;
      offset = offset * 2 + 1;
    }
    if (offset > most) offset = most;
    last += hint;
    offset += hint;
  } else {
    const most = hint + 1;
    while (offset < most && !(+($.call(compare, undefined, list[base + hint - offset], key) as number) < 0)) {
      last = offset;
      offset = offset * 2 + 1;
    }
    if (offset > most) offset = most;
    const nearest = last;
    last = hint - offset;
    offset = hint - nearest;
  }
  last++;
  while (last < offset) {
    const middle = last + ((offset - last) >> 1);
    if (+($.call(compare, undefined, list[base + middle], key) as number) < 0) last = middle + 1;
    else offset = middle;
  }
  return offset;
}

/** As gallopLeft, but after the equals of `key`. */
export function gallopRight(
  list: unknown[],
  compare: unknown,
  key: unknown,
  base: number,
  length: number,
  hint: number,
): number {
  let last = 0;
  let offset = 1;
  if (+($.call(compare, undefined, key, list[base + hint]) as number) < 0) {
    const most = hint + 1;
    while (offset < most && +($.call(compare, undefined, key, list[base + hint - offset]) as number) < 0) {
      last = offset;
      offset = offset * 2 + 1;
    }
    if (offset > most) offset = most;
    const nearest = last;
    last = hint - offset;
    offset = hint - nearest;
  } else {
    const most = length - hint;
    while (offset < most && !(+($.call(compare, undefined, key, list[base + hint + offset]) as number) < 0)) {
      last = offset;
      offset = offset * 2 + 1;
    }
    if (offset > most) offset = most;
    last += hint;
    offset += hint;
  }
  last++;
  while (last < offset) {
    const middle = last + ((offset - last) >> 1);
    if (+($.call(compare, undefined, key, list[base + middle]) as number) < 0) offset = middle;
    else last = middle + 1;
  }
  return offset;
}

/** Merges from the front, the shorter run A being kept aside. */
export function mergeLow(sort: Sort, baseA: number, countA: number, baseB: number, countB: number): void {
  const { list, compare } = sort;
  const aside = $.sliceOf(list, baseA, countA);
  let lengthA = countA;
  let lengthB = countB - 1;
  let minGallop = sort.minGallop;
  let to = baseA;
  let atA = 0;
  let atB = baseB;
  list[to++] = list[atB++];
  merging: while (lengthB > 0 && lengthA > 1) {
    let winsA = 0;
    let winsB = 0;
    do {
      if (+($.call(compare, undefined, list[atB], aside[atA]) as number) < 0) {
        list[to++] = list[atB++];
        winsB++;
        winsA = 0;
        if (--lengthB === 0) break merging;
      } else {
        list[to++] = aside[atA++];
        winsA++;
        winsB = 0;
        if (--lengthA === 1) break merging;
      }
    } while (winsA < minGallop && winsB < minGallop);
    minGallop++;
    do {
      minGallop = Math.max(1, minGallop - 1);
      sort.minGallop = minGallop;
      winsA = gallopRight(aside, compare, list[atB], atA, lengthA, 0);
      if (winsA > 0) {
        $.copyRange(aside, atA, list, to, winsA);
        to += winsA;
        atA += winsA;
        lengthA -= winsA;
        // None left of A is impossible with a consistent comparator, which this may not be.
        if (lengthA <= 1) break merging;
      }
      list[to++] = list[atB++];
      if (--lengthB === 0) break merging;
      winsB = gallopLeft(list, compare, aside[atA], atB, lengthB, 0);
      if (winsB > 0) {
        $.copyRange(list, atB, list, to, winsB);
        to += winsB;
        atB += winsB;
        lengthB -= winsB;
        if (lengthB === 0) break merging;
      }
      list[to++] = aside[atA++];
      if (--lengthA === 1) break merging;
    } while (winsA >= MIN_GALLOP_WINS || winsB >= MIN_GALLOP_WINS);
    minGallop++;
    sort.minGallop = minGallop;
  }
  $.copyRange(list, atB, list, to, lengthB);
  $.copyRange(aside, atA, list, to + lengthB, lengthA);
}

/** Merges from the back, the shorter run B being kept aside. */
export function mergeHigh(sort: Sort, baseA: number, countA: number, baseB: number, countB: number): void {
  const { list, compare } = sort;
  const aside = $.sliceOf(list, baseB, countB);
  let lengthA = countA - 1;
  let lengthB = countB;
  let minGallop = sort.minGallop;
  let to = baseB + countB - 1;
  let atA = baseA + countA - 1;
  let atB = countB - 1;
  list[to--] = list[atA--];
  merging: while (lengthA > 0 && lengthB > 1) {
    let winsA = 0;
    let winsB = 0;
    do {
      if (+($.call(compare, undefined, aside[atB], list[atA]) as number) < 0) {
        list[to--] = list[atA--];
        winsA++;
        winsB = 0;
        if (--lengthA === 0) break merging;
      } else {
        list[to--] = aside[atB--];
        winsB++;
        winsA = 0;
        if (--lengthB === 1) break merging;
      }
    } while (winsA < minGallop && winsB < minGallop);
    minGallop++;
    do {
      minGallop = Math.max(1, minGallop - 1);
      sort.minGallop = minGallop;
      winsA = lengthA - gallopRight(list, compare, aside[atB], baseA, lengthA, lengthA - 1);
      if (winsA > 0) {
        to -= winsA;
        atA -= winsA;
        $.copyRange(list, atA + 1, list, to + 1, winsA);
        lengthA -= winsA;
        if (lengthA === 0) break merging;
      }
      list[to--] = aside[atB--];
      if (--lengthB === 1) break merging;
      winsB = lengthB - gallopLeft(aside, compare, list[atA], 0, lengthB, lengthB - 1);
      if (winsB > 0) {
        to -= winsB;
        atB -= winsB;
        $.copyRange(aside, atB + 1, list, to + 1, winsB);
        lengthB -= winsB;
        if (lengthB <= 1) break merging;
      }
      list[to--] = list[atA--];
      if (--lengthA === 0) break merging;
    } while (winsA >= MIN_GALLOP_WINS || winsB >= MIN_GALLOP_WINS);
    minGallop++;
    sort.minGallop = minGallop;
  }
  to -= lengthA;
  atA -= lengthA;
  $.copyRange(list, atA + 1, list, to + 1, lengthA);
  $.copyRange(aside, 0, list, to - lengthB + 1, lengthB);
}
