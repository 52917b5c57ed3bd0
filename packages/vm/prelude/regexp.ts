import { toNumber, toString } from "./operators.ts";

export function RegExp(pattern: unknown, flags: unknown): unknown {
  const isSame = flags === undefined && $.isRegExp(pattern) && $.regexpHasUsualConstructor(pattern);
  return isSame ? pattern : new_RegExp(pattern, flags);
}

export function new_RegExp(pattern: unknown, flags: unknown): unknown {
  if ($.isRegExp(pattern)) {
    const source = $.regexpSource(pattern);
    return $.newRegExp(source, flags === undefined ? $.regexpFlags(pattern) : toString(flags));
  }
  const source = pattern === undefined ? "" : toString(pattern);
  return $.newRegExp(source, flags === undefined ? "" : toString(flags));
}

export function RegExp_prototype_exec(this: unknown, text: unknown): unknown {
  $.requireRegExp(this, "exec");
  const quick = $.regexpExec(this, text);
  if (quick !== undefined) return quick;
  const match = execute(this, toString(text));
  return match === null ? null : $.matchArray(match);
}

export function RegExp_prototype_test(this: unknown, text: unknown): boolean {
  $.requireRegExp(this, "test");
  const quick = $.regexpTest(this, text);
  if (quick !== undefined) return quick;
  return execute(this, toString(text)) !== null;
}

export function RegExp_prototype_toString(this: unknown): string {
  if (!$.isObject(this)) $.requireRegExp(this, "toString");
  const source = toString($.get(this, "source"));
  return `/${source}/${toString($.get(this, "flags"))}`;
}

/** ECMA-262's RegExpBuiltinExec: the match that was found, or null; `lastIndex` as it leaves it. */
export function execute(regexp: unknown, text: string): Match | null {
  const match = $.matchStart(regexp, text, toNumber($.lastIndex(regexp)));
  if (match !== null) while (!$.matchRun(match)) continue;
  const found = match !== null && $.matchFound(match);
  if ($.regexpHasFlag(regexp, "g") || $.regexpHasFlag(regexp, "y")) {
    $.setLastIndex(regexp, found ? $.matchEnd(match) : 0);
  }
  return found ? match : null;
}
