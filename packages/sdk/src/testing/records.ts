import { encodeNative } from "@cairnjs/ir";
import type { Effect } from "@cairnjs/vm";
import { type EncodedStep, type RunEvent, SIGNAL, SLEEP } from "./report.ts";

export type StepEffect = Extract<Effect, { kind: "call" | "child" | "sleep" | "wait" }>;

export const UNDEFINED = encodeNative(undefined);

/** How a step is reported. */
export function recordOf(effect: StepEffect): EncodedStep {
  const { node } = effect;
  switch (effect.kind) {
    case "call":
      return { node, action: effect.action, args: effect.args, compensation: effect.compensation };
    case "child": {
      const args = effect.input === UNDEFINED ? "[]" : `[${effect.input}]`;
      return { node, action: effect.workflow, args, compensation: false };
    }
    case "sleep":
      return { node, action: SLEEP, args: encodeNative([new Date(effect.until)]), compensation: false };
    case "wait":
      return { node, action: SIGNAL, args: encodeNative([effect.signal]), compensation: false };
  }
}

type EventEffect = Extract<Effect, { kind: "progress" | "emit" | "compensation" | "compensationFailed" | "warning" }>;

export function eventOf(effect: EventEffect, at: number, nodes: ReadonlyMap<string, string>): RunEvent {
  switch (effect.kind) {
    case "progress":
      return { kind: "progress", at, value: effect.value };
    case "emit":
      return { kind: "emit", at, type: effect.type, data: effect.data };
    case "compensation":
      return { kind: "compensation", at, node: effect.node, action: effect.action, args: effect.args };
    case "compensationFailed":
      return { kind: "compensationFailed", at, node: nodes.get(effect.call) ?? "", error: effect.error };
    case "warning":
      return { kind: "warning", at, code: effect.code, detail: effect.detail };
  }
}
