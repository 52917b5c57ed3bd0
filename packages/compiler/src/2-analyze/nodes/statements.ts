import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { NodeCollector } from "./collect.ts";
import { walkCondition } from "./conditions.ts";
import type { End } from "./flow.ts";
import { landingOn } from "./jumps.ts";
import { walkLoop } from "./loops.ts";
import { lastName } from "./names.ts";
import { walkTry } from "./try.ts";

type NodeOf<T extends Node["type"]> = Extract<Node, { type: T }>;

/** Follows a statement that changes the way of control; false for any other node. */
export function walkStatement(collector: NodeCollector, node: Node, labels: readonly string[] = []): boolean {
  switch (node.type) {
    case "IfStatement":
      walkIf(collector, node);
      return true;
    case "ForStatement":
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      walkLoop(collector, node, labels);
      return true;
    case "LabeledStatement":
      walkLabeled(collector, node, labels);
      return true;
    case "SwitchStatement":
      walkSwitch(collector, node);
      return true;
    case "TryStatement":
      walkTry(collector, node);
      return true;
    case "BreakStatement":
      collector.jumps.jump({ kind: "break", label: node.label?.name ?? null });
      return true;
    case "ContinueStatement":
      collector.jumps.jump({ kind: "continue", label: node.label?.name ?? null });
      return true;
    case "ReturnStatement":
      collector.walk(node.argument);
      collector.jumps.jump({ kind: "return" });
      return true;
    case "ThrowStatement":
      collector.walk(node.argument);
      collector.jumps.jump({ kind: "throw" });
      return true;
    default:
      return false;
  }
}

/** The links of an `else if` chain stand beside each other, in `else.if`: a chain may be long. */
function walkIf(collector: NodeCollector, first: NodeOf<"IfStatement">): void {
  const { flow } = collector;
  const leaving: (readonly End[])[] = [];
  let node: Node | null = first;
  while (node?.type === "IfStatement") {
    const outer = node === first ? null : collector.enter("else");
    const { held, failed } = walkCondition(collector, node.test);
    if (outer !== null) collector.leave(outer);
    flow.branch(held, "then");
    collector.within(node === first ? "if" : "else.if", node.consequent);
    leaving.push(flow.ends);
    flow.branch(failed, "else");
    node = node.alternate;
  }
  if (node !== null) collector.within("else", node);
  flow.join(...leaving, flow.ends);
}

function walkLabeled(collector: NodeCollector, node: NodeOf<"LabeledStatement">, outer: readonly string[]): void {
  const { flow, jumps } = collector;
  const labels = [...outer, node.label.name];
  const { body } = node;
  const target = { labels, isPlain: false, breaks: [] as End[], continues: null };
  jumps.within(landingOn(target), () => {
    if (!walkStatement(collector, body, labels)) collector.walk(body);
  });
  flow.join(flow.ends, target.breaks);
}

/** Tests are tried in order; the way to `default` leads past all of them, wherever it stands. */
function walkSwitch(collector: NodeCollector, node: NodeOf<"SwitchStatement">): void {
  const { flow, jumps } = collector;
  collector.walk(node.discriminant);
  const matched = new Map<Node, readonly End[]>();
  for (const { test } of node.cases) {
    if (test === null) continue;
    collector.walk(test);
    matched.set(test, flow.ends);
  }
  const unmatched = flow.ends;
  const target = { labels: [], isPlain: true, breaks: [] as End[], continues: null };
  let cases: string[] = [];
  let entering: readonly End[] = [];
  let falling: readonly End[] = [];
  jumps.within(landingOn(target), () => {
    for (const { test, consequent } of node.cases) {
      cases.push(caseName(test));
      entering = flow.met(entering, (test === null ? undefined : matched.get(test)) ?? unmatched);
      if (consequent.length === 0) continue;
      flow.branch(entering, caseLabel(cases));
      flow.join(flow.ends, falling);
      const outer = collector.enter(test === null ? "switch.default" : "switch.case");
      for (const statement of consequent) collector.walk(statement);
      collector.leave(outer);
      falling = flow.ends;
      entering = [];
      cases = [];
    }
  });
  const hasDefault = node.cases.some(({ test }) => test === null);
  flow.join(falling, target.breaks, entering, hasDefault ? [] : unmatched);
}

/** Labels are for people: long ones and many of them help nobody. */
const CASE_NAME_MAX = 24;
const CASES_MAX = 3;

function caseName(test: Node | null): string {
  if (test === null) return "default";
  const bare = erase(test);
  const name = bare.type === "Literal" ? String(bare.value) : lastName(bare);
  if (name === null) return "case";
  const short = name.length > CASE_NAME_MAX ? `${name.slice(0, CASE_NAME_MAX)}…` : name;
  const shown = short.replaceAll(/\p{C}/gu, "");
  return bare.type === "Literal" && typeof bare.value === "string" ? `case "${shown}"` : `case ${shown}`;
}

/** `case 1: case 2:` is one way. */
function caseLabel(cases: readonly string[]): string {
  return cases.length > CASES_MAX ? `${cases.slice(0, CASES_MAX).join(", ")}, …` : cases.join(", ");
}
