import { type Outcome, runOnMachine } from "./run-machine.ts";
import { type NativeOutcome, runAlone, runInShared } from "./run-native.ts";
import type { SuiteTest } from "./suite.ts";
import { withoutStatements } from "./trim.ts";
import { USUAL, type Wrapping, isEarly, nativeText, skipReason, workflowText } from "./wrap.ts";

/**
 * `passed`: on the machine as in Node.js. `trimmed`: passed without the statements that are rejected or refused.
 * `rejected`: by diagnostics. `refused`: by `UnsupportedBuiltin`. `alike`: fails on the machine just as it fails in
 * Node.js, so the test says nothing. `failed`: a defect.
 */
export type Verdict = "passed" | "trimmed" | "rejected" | "refused" | "alike" | "skipped" | "failed";

export interface Judgement {
  readonly path: string;
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
}

/** A test as it was run, and what came out. */
interface Run {
  readonly test: SuiteTest;
  readonly wrapping: Wrapping;
  readonly outcome: Outcome;
}

/** The rule: a body does what V8 does with it, or it is rejected. */
export async function judge(test: SuiteTest): Promise<Judgement> {
  const { path } = test;
  const skipped = skipReason(test);
  if (skipped !== null) return { path, verdict: "skipped", reasons: [skipped] };
  const { outcome, wrapping } = runWrapped(test);
  const isNegative = isEarly(test.metadata.negative);
  if (outcome.kind !== "rejected" && isNegative) return { path, ...(await judgeEarly(test)) };
  if (outcome.kind !== "rejected" && outcome.kind !== "refused") {
    return { path, ...(await judgeRun({ test, wrapping, outcome })) };
  }
  const rest = isNegative ? null : runTrimmed({ test, wrapping, outcome });
  if (rest !== null) {
    const { verdict, reasons } = await judgeRun(rest);
    if (verdict === "failed") return { path, verdict, reasons: [...reasons, `of what is left:\n${rest.test.text}`] };
    if (verdict === "passed") return { path, verdict: "trimmed", reasons: outcome.reasons };
  }
  return { path, verdict: outcome.kind, reasons: outcome.reasons };
}

/** Wraps otherwise what would be rejected or refused for reasons that are not what the test is about. */
function runWrapped(test: SuiteTest): Run {
  let wrapping = USUAL;
  let outcome = runOnMachine(workflowText(test, wrapping));
  const undeclared = outcome.kind === "rejected" ? undeclaredNames(outcome.reasons) : [];
  if (undeclared.length > 0 && !isEarly(test.metadata.negative)) {
    wrapping = { ...wrapping, undeclared };
    const declared = runOnMachine(workflowText(test, wrapping));
    if (declared.kind === "rejected") return { test, wrapping: USUAL, outcome };
    outcome = declared;
  }
  if (outcome.kind === "refused" && test.metadata.includes.includes("propertyHelper.js")) {
    wrapping = { ...wrapping, properties: "described" };
    outcome = runOnMachine(workflowText(test, wrapping));
  }
  return { test, wrapping, outcome };
}

/** The names, if all that is wrong with the test is that nobody declares them. `$262` is the suite's own. */
function undeclaredNames(reasons: readonly string[]): string[] {
  const names = reasons.map((reason) => /^CAIRN2001 The name (\S+) is not declared/.exec(reason)?.[1] ?? "$262");
  return names.includes("$262") ? [] : names;
}

/** Declarations go first, then what used them, and so on: more rounds than this find little. */
const TRIM_ROUNDS = 6;

/** Runs what the compiler and the machine accept of the test, or null if nothing worth it is left. */
function runTrimmed(whole: Run): Run | null {
  let { test, outcome } = whole;
  const { wrapping } = whole;
  for (let round = 0; round < TRIM_ROUNDS; round++) {
    if (outcome.kind !== "rejected" && outcome.kind !== "refused") return { test, wrapping, outcome };
    const text = withoutStatements(workflowText(test, wrapping), test.text, outcome.places);
    if (text === null || !checksSomething(text)) return null;
    test = { ...test, text };
    outcome = runOnMachine(workflowText(test, wrapping));
  }
  return null;
}

function checksSomething(text: string): boolean {
  return /assert|\$ERROR|verify/.test(text.replace(/\/\*---[\s\S]*?---\*\//, ""));
}

/** It compiled though the suite says it must not. Inside a function some texts are right after all. */
async function judgeEarly(test: SuiteTest): Promise<Omit<Judgement, "path">> {
  const isModule = test.metadata.flags.has("module");
  const native = isModule ? null : await runAlone(nativeText(test, USUAL));
  if (native !== null && native.kind !== "unparsed") return { verdict: "alike", reasons: ["parsed in Node.js too"] };
  return { verdict: "failed", reasons: [`compiles, Node.js says ${native?.message ?? "SyntaxError"}`] };
}

async function judgeRun({ test, wrapping, outcome }: Run): Promise<Omit<Judgement, "path">> {
  const text = nativeText(test, wrapping);
  let native = await runInShared(text);
  if (!isSame(outcome, native)) native = await runAlone(text);
  if (!isSame(outcome, native)) {
    return { verdict: "failed", reasons: [`${shown(outcome)}, in Node.js ${shown(native)}`] };
  }
  const type = test.metadata.negative?.type ?? null;
  const isRight = type === null ? outcome.kind === "passed" : outcome.kind === "threw" && outcome.name === type;
  return isRight ? { verdict: "passed", reasons: [] } : { verdict: "alike", reasons: [shown(outcome)] };
}

/** Wording of V8's own errors may differ; what the test or its harness says may not. */
function isSame(outcome: Outcome, native: NativeOutcome): boolean {
  if (outcome.kind === "passed") return native.kind === "passed";
  if (outcome.kind === "broken") return outcome.name === "Stuck" && native.kind === "stuck";
  if (outcome.kind !== "threw" || native.kind !== "threw" || outcome.name !== native.name) return false;
  return outcome.name !== "Test262Error" || outcome.message === native.message;
}

function shown(outcome: Outcome | NativeOutcome): string {
  return "name" in outcome ? `${outcome.kind} ${outcome.name}: ${outcome.message}` : outcome.kind;
}
