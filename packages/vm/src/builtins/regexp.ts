import { VRegExp } from "../heap/data.ts";
import { type Value, WRITABLE } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { printed } from "./printed.ts";
import { compile } from "./regexp-programs.ts";
import { escapeSource } from "./regexp-source.ts";

/** The accessors of RegExp; what matches is in the prelude, since matching is sliced. */
export const regexpBuiltins: HostTable = {
  "RegExp.prototype.dotAll": flag("dotAll", "s"),
  "RegExp.prototype.flags": {
    get(context, self) {
      if (self instanceof VRegExp) return insistOnPlain(self).flags;
      if (self === context.realm.prototype("RegExp")) return "";
      return throwError(
        context,
        "TypeError",
        `RegExp.prototype.flags getter called on non-object ${printed(context, self)}`,
      );
    },
  },
  "RegExp.prototype.global": flag("global", "g"),
  "RegExp.prototype.hasIndices": flag("hasIndices", "d"),
  "RegExp.prototype.ignoreCase": flag("ignoreCase", "i"),
  "RegExp.prototype.multiline": flag("multiline", "m"),
  "RegExp.prototype.source": {
    get(context, self) {
      if (self instanceof VRegExp) return self.source;
      return self === context.realm.prototype("RegExp") ? "(?:)" : refuseReceiver(context, "source");
    },
  },
  "RegExp.prototype.sticky": flag("sticky", "y"),
  "RegExp.prototype.unicode": flag("unicode", "u"),
  "RegExp.prototype.unicodeSets": flag("unicodeSets", "v"),
};

/** A literal, or what the constructor makes: SyntaxError in V8's words when the pattern or its flags are wrong. */
export function createRegExp(context: HostContext, pattern: string, flags: string): VRegExp {
  const program = compile(context, pattern, flags);
  const source = escapeSource(pattern);
  context.charge(10, 64 + source.length);
  const regexp = new VRegExp(context.realm.prototype("RegExp"), source, program.flags.text);
  regexp.write("lastIndex", 0);
  regexp.attributes = new Map([["lastIndex", WRITABLE]]);
  return regexp;
}

/**
 * ECMA-262 reaches for the expression's own `exec`, `constructor` and flags at every turn. A program that gives it
 * such properties is refused, so that all else may take the built-in meaning for granted.
 */
export function insistOnPlain(regexp: VRegExp): VRegExp {
  for (const key of regexp.keys()) {
    if (key !== "lastIndex" && CONSULTED.has(key)) unsupported(`a regular expression with its own '${key}'`);
  }
  return regexp;
}

const CONSULTED: ReadonlySet<string> = new Set([
  "constructor",
  "dotAll",
  "exec",
  "flags",
  "global",
  "hasIndices",
  "ignoreCase",
  "multiline",
  "source",
  "sticky",
  "toString",
  "unicode",
  "unicodeSets",
]);

function flag(name: string, letter: string): HostEntry {
  return {
    get(context, self): Value {
      if (self instanceof VRegExp) return self.flags.includes(letter);
      return self === context.realm.prototype("RegExp") ? undefined : refuseReceiver(context, name);
    },
  };
}

function refuseReceiver(context: HostContext, name: string): never {
  throwError(context, "TypeError", `RegExp.prototype.${name} getter called on non-RegExp object`);
}
