import type { VRegExp } from "../heap/data.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import type { Realm } from "../realm/realm.ts";
import { compileRegExp } from "../regexp/compile.ts";
import { RegExpSyntaxError, RegExpTooComplex, RegExpUnsupported } from "../regexp/errors.ts";
import type { RegExpProgram } from "../regexp/program.ts";

/** Compiled expressions are kept up to this many, and then all forgotten: they are made again when asked for. */
const PROGRAMS_MAX = 1_000;

class Programs {
  private byFlags = new Map<string, Map<string, RegExpProgram>>();
  private count = 0;

  /** A pure function of its arguments, so that a hit and a miss cannot be told apart. */
  get(source: string, flags: string): RegExpProgram {
    const known = this.byFlags.get(flags)?.get(source);
    if (known !== undefined) return known;
    const program = compileRegExp(source, flags);
    if (this.count++ === PROGRAMS_MAX) {
      this.byFlags = new Map();
      this.count = 1;
    }
    const bySource = this.byFlags.get(flags) ?? new Map<string, RegExpProgram>();
    this.byFlags.set(flags, bySource.set(source, program));
    return program;
  }
}

const programsOf = new WeakMap<Realm, Programs>();

/** The expression that a program asks for: a SyntaxError when it is none. Paid for, whether compiled before or not. */
export function compile(context: HostContext, pattern: string, flags: string): RegExpProgram {
  context.charge(20 + pattern.length * 5, 0);
  try {
    return programAt(context.realm, pattern, flags);
  } catch (error) {
    if (error instanceof RegExpSyntaxError) throwError(context, "SyntaxError", error.message);
    throw error;
  }
}

/** The compiled form of an expression that exists. */
export function programOf(context: HostContext, { source, flags }: VRegExp): RegExpProgram {
  return programAt(context.realm, source, flags);
}

export function programAt(realm: Realm, source: string, flags: string): RegExpProgram {
  let programs = programsOf.get(realm);
  if (programs === undefined) {
    programs = new Programs();
    programsOf.set(realm, programs);
  }
  try {
    return programs.get(source, flags);
  } catch (error) {
    if (error instanceof RegExpTooComplex) unsupported(`a regular expression of this size (${error.message})`);
    if (error instanceof RegExpUnsupported) unsupported(`this regular expression (${error.message})`);
    throw error;
  }
}
