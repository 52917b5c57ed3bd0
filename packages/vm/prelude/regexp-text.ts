import { toNumber, toString } from "./operators.ts";
import { execute } from "./regexp.ts";

/**
 * What methods of strings do with a regular expression. ECMA-262 writes `lastIndex` for every match of a global
 * search, where only the 0 at the end can be seen; here it is written once, and before a replacer is called.
 */
export function matchWith(regexp: unknown, text: string): unknown {
  const quick = $.regexpMatch(regexp, text);
  if (quick !== undefined) return quick;
  if (!$.regexpHasFlag(regexp, "g")) {
    const match = execute(regexp, text);
    return match === null ? null : $.matchArray(match);
  }
  $.setLastIndex(regexp, 0);
  const found: string[] = [];
  const match = $.matchStart(regexp, text, 0)!;
  while (finish(match)) {
    found.push($.matchText(match));
    $.matchAgain(match);
  }
  return found.length === 0 ? null : found;
}

/** All matches at once: the copy of the expression that a lazy search would use cannot be seen. */
export function matchAllWith(regexp: unknown, text: string): unknown {
  const found: unknown[] = [];
  const match = $.matchStart(regexp, text, toNumber($.lastIndex(regexp)));
  if (match !== null) {
    while (finish(match)) {
      found.push($.matchArray(match));
      $.matchAgain(match);
    }
  }
  return $.matchIterator(found);
}

export function replaceWith(regexp: unknown, text: string, replacement: unknown): string {
  const calls = $.isCallable(replacement);
  const template = calls ? "" : toString(replacement);
  if (!calls) {
    const quick = $.regexpReplace(regexp, text, template);
    if (quick !== undefined) return quick;
  }
  const isGlobal = $.regexpHasFlag(regexp, "g");
  if (isGlobal) $.setLastIndex(regexp, 0);
  const match = isGlobal ? $.matchStart(regexp, text, 0) : execute(regexp, text);
  if (match === null) return text;
  let result = "";
  let end = 0;
  while (finish(match)) {
    result += text.slice(end, $.matchIndex(match));
    if (calls) result += toString($.call(replacement, undefined, ...$.matchArguments(match)));
    else result += $.matchExpand(match, template);
    end = $.matchEnd(match);
    if (!isGlobal) break;
    $.matchAgain(match);
  }
  return result + text.slice(end);
}

/** `lastIndex` is 0 for the search and put back after it, so that it stays what it is. */
export function searchWith(regexp: unknown, text: string): number {
  $.requireSearchable(regexp);
  const quick = $.regexpSearch(regexp, text);
  if (quick !== undefined) return quick;
  const match = $.matchStart(regexp, text, 0)!;
  return finish(match) ? $.matchIndex(match) : -1;
}

export function splitWith(regexp: unknown, text: string, limit: unknown): unknown[] {
  const count = limit === undefined ? 4294967295 : toNumber(limit) >>> 0;
  const quick = $.regexpSplit(regexp, text, count);
  if (quick !== undefined) return quick;
  const match = $.matchSplit(regexp, text);
  if (text.length === 0) return finish(match) ? [] : [text];
  const parts: unknown[] = [];
  let end = 0;
  while (finish(match) && $.matchIndex(match) < text.length) {
    const stop = $.matchEnd(match);
    if (stop !== end) {
      parts.push(text.slice(end, $.matchIndex(match)));
      if (parts.length === count) return parts;
      const captures = $.matchCaptures(match);
      for (let index = 0; index < captures.length; index++) {
        parts.push(captures[index]);
        if (parts.length === count) return parts;
      }
      end = stop;
    }
    $.matchAgain(match);
  }
  parts.push(text.slice(end));
  return parts;
}

/** Runs a search to its end: whether it found a match. */
function finish(match: Match): boolean {
  while (!$.matchRun(match)) continue;
  return $.matchFound(match);
}
