import type { VRegExp } from "../heap/data.ts";
import { VArray, type Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import { insistOnWritable, setLastIndex } from "./regexp-last-index.ts";
import { programAt, programOf } from "./regexp-programs.ts";
import { captures, endOf, execArray, expand, type Found, groupText, indexOf } from "./regexp-result.ts";
import { QuickSearch, quickExec, separatorFlags, startAfter } from "./regexp-search.ts";
import { chargeText } from "./string-conversion.ts";

/**
 * Methods of strings with a regular expression, as long as matching takes few steps. Else they answer undefined,
 * and `prelude/regexp-text.ts` does the same in slices; until then nothing has been written.
 */
export function quickMatch(context: HostContext, regexp: VRegExp, text: string): VArray | null | undefined {
  if (!regexp.flags.includes("g")) {
    const found = quickExec(context, regexp, text);
    return found ? execArray(context, found) : found;
  }
  const all = findAll(context, regexp, text);
  if (all === undefined) return undefined;
  setLastIndex(context, regexp, 0);
  if (all.length === 0) return null;
  context.charge(all.length, 48 + all.length * 16 + text.length);
  return new VArray(
    context.realm.arrayPrototype,
    all.map((found) => groupText(found, 0)),
  );
}

export function quickReplace(
  context: HostContext,
  regexp: VRegExp,
  text: string,
  template: string,
): string | undefined {
  const isGlobal = regexp.flags.includes("g");
  const all = isGlobal ? findAll(context, regexp, text) : findOne(context, regexp, text);
  if (all === undefined) return undefined;
  if (isGlobal) setLastIndex(context, regexp, 0);
  let result = "";
  let end = 0;
  for (const found of all) {
    const replacement = expand(context, found, template);
    chargeText(context, indexOf(found) - end + replacement.length);
    result += text.slice(end, indexOf(found)) + replacement;
    end = endOf(found);
  }
  return all.length === 0 ? text : result + text.slice(end);
}

/** The caller has seen to it that `lastIndex` could be written. */
export function quickSearch(context: HostContext, regexp: VRegExp, text: string): number | undefined {
  const search = new QuickSearch(context, programOf(context, regexp), text);
  const found = search.from(0);
  if (found === undefined) return undefined;
  return found === null ? -1 : indexOf(found);
}

export function quickSplit(context: HostContext, regexp: VRegExp, text: string, limit: number): VArray | undefined {
  const parts: Value[] = [];
  const list = new VArray(context.realm.arrayPrototype, parts);
  if (limit === 0) return list;
  const search = new QuickSearch(context, programAt(context.realm, regexp.source, separatorFlags(regexp)), text);
  let end = 0;
  for (let found = search.from(0); ; found = search.from(startAfter(found))) {
    if (found === undefined) return undefined;
    if (found === null || indexOf(found) >= text.length) {
      if (found === null || text.length > 0) parts.push(text.slice(end));
      return list;
    }
    if (endOf(found) === end) continue;
    parts.push(text.slice(end, indexOf(found)), ...captures(found));
    context.charge(found.program.groupCount, 16 * found.program.groupCount + indexOf(found) - end);
    if (parts.length >= limit) {
      parts.length = limit;
      return list;
    }
    end = endOf(found);
  }
}

function findOne(context: HostContext, regexp: VRegExp, text: string): Found[] | undefined {
  const found = quickExec(context, regexp, text);
  if (found === undefined) return undefined;
  return found === null ? [] : [found];
}

/** Every match of a global expression, from the start of the text. */
function findAll(context: HostContext, regexp: VRegExp, text: string): Found[] | undefined {
  insistOnWritable(context, regexp);
  const search = new QuickSearch(context, programOf(context, regexp), text);
  const all: Found[] = [];
  for (let found = search.from(0); found !== null; found = search.from(startAfter(found))) {
    if (found === undefined) return undefined;
    all.push(found);
  }
  return all;
}
