import { toNumber, toString } from "./operators.ts";
import { matchAllWith, matchWith, replaceWith, searchWith, splitWith } from "./regexp-text.ts";

/**
 * The methods of strings that may call the program: for `toString` of what they are given, or a replacer. Each
 * first tries the operation that does it all for primitives.
 */
export function String_prototype_endsWith(this: unknown, search: unknown, end: unknown): boolean {
  const quick = $.textEndsWith(this, search, end);
  if (quick !== null) return quick;
  const text = toString(this);
  const sought = searchText(search, "endsWith");
  return $.textEndsWith(text, sought, end === undefined ? undefined : toNumber(end))!;
}

export function String_prototype_includes(this: unknown, search: unknown, position: unknown): boolean {
  const quick = $.textIncludes(this, search, position);
  if (quick !== null) return quick;
  const text = toString(this);
  const sought = searchText(search, "includes");
  return $.textIncludes(text, sought, toNumber(position))!;
}

export function String_prototype_startsWith(this: unknown, search: unknown, position: unknown): boolean {
  const quick = $.textStartsWith(this, search, position);
  if (quick !== null) return quick;
  const text = toString(this);
  const sought = searchText(search, "startsWith");
  return $.textStartsWith(text, sought, toNumber(position))!;
}

function searchText(search: unknown, method: string): string {
  if ($.isRegExp(search)) {
    throw new TypeError(`First argument to String.prototype.${method} must not be a regular expression`);
  }
  return toString(search);
}

export function String_prototype_split(this: unknown, separator: unknown, limit: unknown): unknown {
  const quick = $.textSplit(this, separator, limit);
  if (quick !== null) return quick;
  const text = toString(this);
  if ($.isRegExp(separator)) return splitWith(separator, text, limit);
  const count = limit === undefined ? undefined : toNumber(limit);
  return $.textSplit(text, separator === undefined ? undefined : toString(separator), count);
}

export function String_prototype_replace(this: unknown, pattern: unknown, replacement: unknown): string {
  const quick = $.textReplace(this, pattern, replacement);
  if (quick !== null) return quick;
  const text = toString(this);
  if ($.isRegExp(pattern)) return replaceWith(pattern, text, replacement);
  const sought = toString(pattern);
  if (!$.isCallable(replacement)) return $.textReplace(text, sought, toString(replacement))!;
  const position = $.textIndexOf(text, sought, 0);
  if (position < 0) return text;
  const middle = toString($.call(replacement, undefined, sought, position, text));
  return text.slice(0, position) + middle + text.slice(position + sought.length);
}

export function String_prototype_replaceAll(this: unknown, pattern: unknown, replacement: unknown): string {
  const quick = $.textReplaceAll(this, pattern, replacement);
  if (quick !== null) return quick;
  if ($.isRegExp(pattern)) {
    if (!$.regexpHasFlag(pattern, "g")) {
      throw new TypeError("String.prototype.replaceAll called with a non-global RegExp argument");
    }
    return replaceWith(pattern, toString(this), replacement);
  }
  const text = toString(this);
  const sought = toString(pattern);
  if (!$.isCallable(replacement)) return $.textReplaceAll(text, sought, toString(replacement))!;
  const step = sought.length > 0 ? sought.length : 1;
  let result = "";
  let end = 0;
  for (let position = $.textIndexOf(text, sought, 0); position >= 0;) {
    result += text.slice(end, position) + toString($.call(replacement, undefined, sought, position, text));
    end = position + sought.length;
    position = $.textIndexOf(text, sought, position + step);
  }
  return result + text.slice(end);
}

export function String_prototype_match(this: unknown, pattern: unknown): unknown {
  $.requireText(this, "match");
  if ($.isRegExp(pattern)) return matchWith(pattern, toString(this));
  const text = toString(this);
  return matchWith($.newRegExp(pattern === undefined ? "" : toString(pattern), ""), text);
}

export function String_prototype_matchAll(this: unknown, pattern: unknown): unknown {
  $.requireText(this, "matchAll");
  if ($.isRegExp(pattern)) {
    if (!$.regexpHasFlag(pattern, "g")) {
      throw new TypeError("String.prototype.matchAll called with a non-global RegExp argument");
    }
    return matchAllWith(pattern, toString(this));
  }
  const text = toString(this);
  return matchAllWith($.newRegExp(pattern === undefined ? "" : toString(pattern), "g"), text);
}

export function String_prototype_search(this: unknown, pattern: unknown): number {
  $.requireText(this, "search");
  if ($.isRegExp(pattern)) return searchWith(pattern, toString(this));
  const text = toString(this);
  return searchWith($.newRegExp(pattern === undefined ? "" : toString(pattern), ""), text);
}

export function String_raw(strings: unknown, ...substitutions: unknown[]): string {
  if (strings === undefined || strings === null) throw new TypeError("Cannot convert undefined or null to object");
  const literals = $.getMember(strings, "raw");
  if (literals === undefined || literals === null) throw new TypeError("Cannot convert undefined or null to object");
  const length = toNumber($.getMember(literals, "length"));
  let result = "";
  for (let index = 0; index + 1 <= length; index++) {
    if (index > 0 && index <= substitutions.length) result += toString(substitutions[index - 1]);
    result += toString($.getMember(literals, `${index}`));
  }
  return result;
}
