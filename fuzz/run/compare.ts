import { type Line, type Transcript, UNSTORABLE, showLine } from "./transcript.ts";

/** Messages with this mark come from program code and must be the same; others may be worded differently. */
const MARK = "§";

export interface Difference {
  /** `wording`: only texts that the language itself supplies differ. */
  readonly kind: "difference" | "wording";
  readonly native: string;
  readonly machine: string;
}

/** The first line that differs, or null. */
export function compareTranscripts(native: Transcript, machine: Transcript): Difference | null {
  let wording: Difference | null = null;
  const length = Math.max(native.length, machine.length);
  for (let index = 0; index < length; index++) {
    const left = native[index];
    const right = machine[index];
    const kind = left === undefined || right === undefined ? "difference" : compareLines(left, right);
    if (kind === null) continue;
    const found = { kind, native: show(left), machine: show(right) };
    if (kind === "difference") return found;
    wording ??= found;
  }
  return wording;
}

function show(at: Line | undefined): string {
  return at === undefined ? "(nothing)" : showLine(at);
}

type Verdict = Difference["kind"] | null;

function compareLines(left: Line, right: Line): Verdict {
  if (left.what !== right.what || left.plain.length !== right.plain.length) return "difference";
  if (left.plain.some((value, index) => value !== right.plain[index])) return "difference";
  if (left.values.length !== right.values.length) return "difference";
  let verdict: Verdict = null;
  for (const [index, value] of left.values.entries()) {
    const other = right.values[index]!;
    if (value === other) continue;
    const found = compareParsed(JSON.parse(value), JSON.parse(other));
    if (found === "difference") return found;
    verdict = found ?? verdict;
  }
  return verdict;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function compareParsed(left: unknown, right: unknown): Verdict {
  return compareJson(left as Json, right as Json);
}

function compareJson(left: Json, right: Json): Verdict {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    if (left === right) return null;
    if (typeof left !== "string" || typeof right !== "string") return "difference";
    return sameUnstorable(left, right) || sameStack(left, right) ? null : "difference";
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return "difference";
    return worst(left.map((item, index) => compareJson(item, right[index]!)));
  }
  const keys = Object.keys(left);
  const others = Object.keys(right);
  if (keys.length !== others.length || keys.some((key, index) => key !== others[index])) return "difference";
  return worst(
    keys.map((key) =>
      key === "$error" ? compareErrors(left[key]!, right[key]!) : compareJson(left[key]!, right[key]!),
    ),
  );
}

/** Where the oracle has its mark for what cannot be stored, the machine has the name of such a thing. */
function sameUnstorable(left: string, right: string): boolean {
  if (!left.startsWith(UNSTORABLE)) return false;
  return left === `${UNSTORABLE} function` ? /^\[Function .*\]$/s.test(right) : /^(#<\w+>|\[object \w+\])$/.test(right);
}

/** The stack of an error: its first line counts, the frames below are the engine's own. */
function sameStack(left: string, right: string): boolean {
  const frames = /\n    at [^]*$/;
  return frames.test(left) && frames.test(right) && left.replace(frames, "") === right.replace(frames, "");
}

/** Class names must be the same, and messages that program code supplied. */
function compareErrors(left: Json, right: Json): Verdict {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return "difference";
  if (Array.isArray(left) || Array.isArray(right)) return "difference";
  const { message: leftMessage = null, ...leftRest } = left;
  const { message: rightMessage = null, ...rightRest } = right;
  const rest = compareJson(leftRest, rightRest);
  if (leftMessage === rightMessage || rest === "difference") return rest;
  const isSupplied = [leftMessage, rightMessage].some((text) => typeof text !== "string" || text.includes(MARK));
  return isSupplied ? "difference" : "wording";
}

function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("difference")) return "difference";
  return verdicts.includes("wording") ? "wording" : null;
}
