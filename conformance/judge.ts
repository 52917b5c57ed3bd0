import { type Outcome, runOnMachine } from "./run-machine.ts";
import { type NativeOutcome, runAlone, runInShared } from "./run-native.ts";
import { type SuiteTest } from "./suite.ts";
import { type Wrapping, USUAL, isEarly, nativeText, skipReason, workflowText } from "./wrap.ts";

/**
 * `passed`: on the machine as in Node.js. `rejected`: by diagnostics. `refused`: by `UnsupportedBuiltin`.
 * `alike`: fails on the machine just as it fails in Node.js, so the test says nothing. `failed`: a defect.
 */
export type Verdict = "passed" | "rejected" | "refused" | "alike" | "skipped" | "failed";

export interface Judgement {
  readonly path: string;
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
}

/** The rule: a body does what V8 does with it, or it is rejected. */
export async function judge(test: SuiteTest): Promise<Judgement> {
  const { path } = test;
  const skipped = skipReason(test);
  if (skipped !== null) return { path, verdict: "skipped", reasons: [skipped] };
  const { wrapping, outcome } = runWrapped(test);
  if (outcome.kind === "rejected") return { path, verdict: "rejected", reasons: outcome.reasons };
  if (isEarly(test.metadata.negative)) return { path, ...(await judgeEarly(test)) };
  if (outcome.kind === "refused") return { path, verdict: "refused", reasons: [outcome.reason] };
  return { path, ...(await judgeRun(test, wrapping, outcome)) };
}

/** Wraps otherwise what would be rejected or refused for reasons that are not what the test is about. */
function runWrapped(test: SuiteTest): { readonly wrapping: Wrapping; readonly outcome: Outcome } {
  let wrapping = USUAL;
  let outcome = runOnMachine(workflowText(test, wrapping));
  const undeclared = outcome.kind === "rejected" ? undeclaredNames(outcome.reasons) : [];
  if (undeclared.length > 0 && !isEarly(test.metadata.negative)) {
    wrapping = { ...wrapping, undeclared };
    const declared = runOnMachine(workflowText(test, wrapping));
    if (declared.kind === "rejected") return { wrapping, outcome };
    outcome = declared;
  }
  if (outcome.kind === "refused" && test.metadata.includes.includes("propertyHelper.js")) {
    wrapping = { ...wrapping, properties: "described" };
    outcome = runOnMachine(workflowText(test, wrapping));
  }
  return { wrapping, outcome };
}

/** The names, if all that is wrong with the test is that nobody declares them. `$262` is the suite's own. */
function undeclaredNames(reasons: readonly string[]): string[] {
  const names = reasons.map((reason) => /^CAIRN2001 The name (\S+) is not declared/.exec(reason)?.[1] ?? "$262");
  return names.includes("$262") ? [] : names;
}

/** It compiled though the suite says it must not. Inside a function some texts are right after all. */
async function judgeEarly(test: SuiteTest): Promise<Omit<Judgement, "path">> {
  const isModule = test.metadata.flags.has("module");
  const native = isModule ? null : await runAlone(nativeText(test, USUAL));
  if (native !== null && native.kind !== "unparsed") return { verdict: "alike", reasons: ["parsed in Node.js too"] };
  return { verdict: "failed", reasons: [`compiles, Node.js says ${native?.message ?? "SyntaxError"}`] };
}

async function judgeRun(
  test: SuiteTest,
  wrapping: Wrapping,
  outcome: Exclude<Outcome, { kind: "rejected" | "refused" }>,
): Promise<Omit<Judgement, "path">> {
  const text = nativeText(test, wrapping);
  let native = await runInShared(text);
  if (!isSame(outcome, native)) native = await runAlone(text);
  if (!isSame(outcome, native))
    return { verdict: "failed", reasons: [`${shown(outcome)}, in Node.js ${shown(native)}`] };
  const type = test.metadata.negative?.type ?? null;
  const isRight = type === null ? outcome.kind === "passed" : outcome.kind === "threw" && outcome.name === type;
  return isRight ? { verdict: "passed", reasons: [] } : { verdict: "alike", reasons: [shown(outcome)] };
}

/** Wording of V8's own errors may differ; what the test or its harness says may not. */
function isSame(outcome: Outcome, native: NativeOutcome): boolean {
  if (outcome.kind === "passed") return native.kind === "passed";
  if (outcome.kind !== "threw" || native.kind !== "threw" || outcome.name !== native.name) return false;
  return outcome.name !== "Test262Error" || outcome.message === native.message;
}

function shown(outcome: Outcome | NativeOutcome): string {
  return "name" in outcome ? `${outcome.kind} ${outcome.name}: ${outcome.message}` : outcome.kind;
}
