import { VMatch } from "../heap/match.ts";
import { getProperty } from "../heap/properties.ts";
import { VRegExp } from "../heap/data.ts";
import { VArray, VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import type { OperationTable } from "./host-table.ts";
import { newIterator } from "./iterate.ts";
import { toLength } from "./number-conversion.ts";
import { printed } from "./printed.ts";
import { insistOnWritable, lastIndexOf, setLastIndex, usesLastIndex } from "./regexp-last-index.ts";
import {
  captures,
  endOf,
  execArray,
  expand,
  type Found,
  groupText,
  indexOf,
  replacerArguments,
} from "./regexp-result.ts";
import { foundOf, newMatch, quickExec, restart, runSlice, separatorFlags } from "./regexp-search.ts";
import { quickMatch, quickReplace, quickSearch, quickSplit } from "./regexp-text.ts";
import { createRegExp, insistOnPlain } from "./regexp.ts";

/** What `prelude/regexp.ts`, `prelude/regexp-text.ts` and `prelude/string.ts` ask of the machine. */
export const regexpOperations: OperationTable = {
  isRegExp(context, [value]) {
    if (value instanceof VRegExp) return true;
    if (value === context.realm.prototype("RegExp")) unsupported("RegExp.prototype as a regular expression");
    return false;
  },
  regexpHasUsualConstructor: (context, [regexp]) =>
    getProperty(context, regexp as VRegExp, "constructor") === context.realm.builtin("RegExp"),
  requireRegExp(context, [value, name]) {
    if (value instanceof VRegExp) insistOnPlain(value);
    else refuseReceiver(context, value, name as string);
    return undefined;
  },
  newRegExp: (context, [source, flags]) => createRegExp(context, source as string, flags as string),
  regexpSource: (_context, [regexp]) => plain(regexp).source,
  regexpFlags: (_context, [regexp]) => plain(regexp).flags,
  regexpHasFlag: (_context, [regexp, flag]) => plain(regexp).flags.includes(flag as string),
  lastIndex: (_context, [regexp]) => lastIndexOf(plain(regexp)),
  setLastIndex(context, [regexp, index]) {
    setLastIndex(context, plain(regexp), index as number);
    return undefined;
  },
  requireSearchable(context, [value]) {
    const regexp = plain(value);
    if (usesLastIndex(regexp) || !Object.is(lastIndexOf(regexp), 0)) insistOnWritable(context, regexp);
    return undefined;
  },

  regexpExec(context, [regexp, text]) {
    const found = quickExec(context, plain(regexp), text);
    return found ? execArray(context, found) : found;
  },
  regexpTest(context, [regexp, text]) {
    const found = quickExec(context, plain(regexp), text);
    return found === undefined ? undefined : found !== null;
  },
  regexpMatch: (context, [regexp, text]) => quickMatch(context, plain(regexp), text as string),
  regexpReplace: (context, [regexp, text, template]) =>
    quickReplace(context, plain(regexp), text as string, template as string),
  regexpSearch: (context, [regexp, text]) => quickSearch(context, plain(regexp), text as string),
  regexpSplit: (context, [regexp, text, limit]) => quickSplit(context, plain(regexp), text as string, limit as number),

  matchStart(context, [value, text, lastIndex]) {
    const regexp = plain(value);
    const start = usesLastIndex(regexp) ? toLength(context, lastIndex) : 0;
    if (start > (text as string).length) return null;
    return newMatch(context, regexp.source, regexp.flags, text as string, start);
  },
  matchSplit(context, [value, text]) {
    const regexp = plain(value);
    return newMatch(context, regexp.source, separatorFlags(regexp), text as string, 0);
  },
  matchRun: (context, [match]) => runSlice(context, match as VMatch),
  matchFound: (_context, [match]) => (match as VMatch).state.status === "matched",
  matchAgain(context, [match]) {
    restart(context, match as VMatch);
    return undefined;
  },
  matchIndex: (context, [match]) => indexOf(found(context, match)),
  matchEnd: (context, [match]) => endOf(found(context, match)),
  matchText(context, [match]) {
    const text = groupText(found(context, match), 0)!;
    context.charge(1, text.length);
    return text;
  },
  matchCaptures(context, [match]) {
    const texts = captures(found(context, match));
    context.charge(5 + texts.length, 48 + texts.length * 16);
    return new VArray(context.realm.arrayPrototype, texts);
  },
  matchArray: (context, [match]) => execArray(context, found(context, match)),
  matchArguments: (context, [match]) => replacerArguments(context, found(context, match)),
  matchExpand: (context, [match, template]) => expand(context, found(context, match), template as string),
  matchIterator: (context, [matches]) => newIterator(context, "matches", "values", matches),
};

function plain(value: Value): VRegExp {
  return insistOnPlain(value as VRegExp);
}

function found(context: HostContext, match: Value): Found {
  return foundOf(context, match as VMatch);
}

/** An object with an `exec` of its own is enough for V8's `test`. */
function refuseReceiver(context: HostContext, value: Value, name: string): never {
  const isObject = value instanceof VObject;
  if (name === "test" && isObject && isCallable(getProperty(context, value, "exec"))) {
    unsupported("RegExp.prototype.test on an object with its own 'exec'");
  }
  const method = name === "test" && isObject ? "exec" : name;
  const receiver = name === "test" && !isObject ? "undefined" : printed(context, value);
  throwError(context, "TypeError", `Method RegExp.prototype.${method} called on incompatible receiver ${receiver}`);
}
