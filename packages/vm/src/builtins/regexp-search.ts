import { VMatch } from "../heap/match.ts";
import { VRegExp } from "../heap/data.ts";
import { VObject, type Value } from "../heap/value.ts";
import { EngineError, type HostContext } from "../machine/host.ts";
import { type MatchState, startMatch } from "../regexp/match-state.ts";
import type { RegExpProgram } from "../regexp/program.ts";
import { runMatch } from "../regexp/run-match.ts";
import { setLastIndex, startOf, usesLastIndex } from "./regexp-last-index.ts";
import { programAt, programOf } from "./regexp-programs.ts";
import type { Found } from "./regexp-result.ts";
import { toText } from "./string-conversion.ts";

/** Steps of matching in one operation: about 20 µs. */
const STEPS_PER_SLICE = 2_000;
/** What a whole call may take in one operation before the prelude takes over, from the start and in slices. */
const STEPS_AT_ONCE = 10_000;

/** Searches one after the other in one operation, as long as all of them together take few steps. */
export class QuickSearch {
  readonly program: RegExpProgram;
  private readonly context: HostContext;
  private readonly text: string;
  private stepsLeft = STEPS_AT_ONCE;

  constructor(context: HostContext, program: RegExpProgram, text: string) {
    this.context = context;
    this.program = program;
    this.text = text;
  }

  /** Null when there is no match from there on, undefined when that took too many steps to say. */
  from(start: number): Found | null | undefined {
    const { program, text } = this;
    if (start > text.length) return null;
    const state = startMatch(program, start);
    const steps = runMatch(program, text, state, this.stepsLeft);
    this.stepsLeft -= steps;
    this.context.charge(10 + steps, 0);
    switch (state.status) {
      case "matched":
        return { program, text, spans: state.captures };
      case "running":
        return undefined;
      default:
        return insistOnRoom(state) && null;
    }
  }
}

/** `exec` on primitives: also undefined when only the program can tell where to start. */
export function quickExec(context: HostContext, regexp: VRegExp, text: Value): Found | null | undefined {
  if (text instanceof VObject) return undefined;
  const start = startOf(context, regexp);
  if (start === undefined) return undefined;
  const search = new QuickSearch(context, programOf(context, regexp), toText(context, text));
  const found = search.from(start);
  if (found !== undefined && usesLastIndex(regexp)) setLastIndex(context, regexp, found === null ? 0 : found.spans[1]!);
  return found;
}

/** Where the search for the next match starts. */
export function startAfter({ program, text, spans }: Found): number {
  const end = spans[1]!;
  if (spans[0] !== end) return end;
  return end + (program.flags.isUnicodeMode && (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
}

/** Without the flags that say where a match may begin. */
export function separatorFlags({ flags }: VRegExp): string {
  return flags.replace(/[gy]/g, "");
}

export function newMatch(context: HostContext, source: string, flags: string, text: string, start: number): VMatch {
  const state = startMatch(programAt(context.realm, source, flags), start);
  context.charge(10, 200);
  return new VMatch(source, flags, text, state);
}

/** A slice of a search: true when it has ended. */
export function runSlice(context: HostContext, match: VMatch): boolean {
  const { state, text } = match;
  if (state.status === "running") {
    context.touch(match);
    const steps = runMatch(programAt(context.realm, match.source, match.flags), text, state, STEPS_PER_SLICE);
    context.charge(steps, 0);
    insistOnRoom(state);
  }
  return state.status !== "running";
}

/** Goes on behind the match that was found; there is none beyond the end. */
export function restart(context: HostContext, match: VMatch): void {
  const found = foundOf(context, match);
  const start = startAfter(found);
  context.touch(match);
  match.state = startMatch(found.program, Math.min(start, match.text.length));
  if (start > match.text.length) match.state.status = "failed";
}

export function foundOf(context: HostContext, match: VMatch): Found {
  const program = programAt(context.realm, match.source, match.flags);
  return { program, text: match.text, spans: match.state.captures };
}

function insistOnRoom(state: MatchState): true {
  if (state.status !== "overflow") return true;
  throw new EngineError("StateTooLarge", "matching a regular expression took more memory than a run may hold");
}
