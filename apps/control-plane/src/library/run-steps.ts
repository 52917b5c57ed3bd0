import { type Effect, inspect, type Machine, type MachineView } from "@cairnjs/vm";
import { resolveAttempts } from "../blobs/resolve-rows.ts";
import { Lineage } from "../runloop/lineage.ts";
import { findRun } from "../store/find-runs.ts";
import { type AttemptRow, loadAttempts } from "../store/load-attempts.ts";
import type { HistoryRow } from "../store/load-runs.ts";
import { EngineError, missingError } from "./engine-error.ts";
import { rebuild, type Sources, walk } from "./rebuilding.ts";

/** One passage through a node of the program. Values are encoded. */
export interface EncodedStepView {
  /** Unique in the run. */
  readonly call: string;
  /** Of the input that led to it: `rollback(number)` does it again. */
  readonly number: number;
  readonly node: string;
  readonly kind: "action" | "child" | "sleep" | "signal";
  /** Of the action, workflow or signal. */
  readonly name: string;
  readonly compensation: boolean;
  /** Array of arguments, the child's input, or when it is due. */
  readonly args: string;
  readonly status: "open" | "succeeded" | "failed" | "abandoned";
  readonly value: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The run was rolled back to where it had not come to this. */
  readonly superseded: boolean;
  readonly attempts: readonly AttemptRow[];
}

/** How a step has ended, by which input. */
interface Ending extends Pick<EncodedStepView, "call" | "number" | "status" | "value" | "endedAt"> {}

/** All steps of a run in the order they were issued: made from its history, since the machine is pure. */
export async function readSteps(sources: Sources, id: string): Promise<EncodedStepView[]> {
  const attempts = await resolveAttempts(sources.blobs, id, await loadAttempts(sources.client, id));
  const steps = new Map<string, EncodedStepView>();
  const endings = new Map<string, Ending[]>();
  const note = (ending: Ending): void => {
    const earlier = endings.get(ending.call);
    if (earlier === undefined) endings.set(ending.call, [ending]);
    else earlier.push(ending);
  };
  const { rollbacks, last } = await walk(sources, id, {
    taken: (row, effects) => {
      for (const effect of effects) {
        const step = newStep(effect, row, attempts);
        if (step !== null) steps.set(step.call, step);
      }
      for (const ending of endingsIn(row, effects)) note(ending);
    },
    inherited: (row, effects) => {
      for (const effect of effects) steps.set(effect.id, newStep(effect, row, attempts)!);
    },
  });
  const lineage = new Lineage(rollbacks, last);
  return Array.from(steps.values(), (step) => {
    const superseded = !lineage.has(step.number);
    const own = endings.get(step.call)?.filter(({ number }) => superseded || lineage.has(number)) ?? [];
    const ending = own.at(-1) ?? (superseded ? { status: "abandoned" as const } : {});
    return { ...step, superseded, ...ending, number: step.number };
  });
}

export interface EncodedStateView extends MachineView {
  readonly number: number;
  readonly at: number;
  readonly phase: Machine["phase"];
  readonly open: readonly EncodedStepView[];
}

/** The state after input n: from the last snapshot before it, and the inputs up to it. */
export async function readState(sources: Sources, id: string, number: number): Promise<EncodedStateView> {
  const { machine, open, origin } = await rebuild(sources, id, number);
  if (machine.inputNumber !== number) {
    throw new EngineError("NotFound", `The run ${id} has taken ${machine.inputNumber} inputs, not ${number}`);
  }
  const steps = Array.from(open.values(), (effect) => newStep(effect, machine, [])!);
  const at = number > 0 ? machine.at : await timeOfStart(sources, origin);
  return { number, at, phase: machine.phase, open: steps, ...inspect(machine) };
}

/** Before its first input a machine has no time. */
async function timeOfStart({ client, namespace }: Sources, id: string): Promise<number> {
  const run = await findRun(client, namespace, id);
  if (run === undefined) throw missingError(id);
  return run.createdAt;
}

function endingsIn({ number, kind, call, value, at }: HistoryRow, effects: readonly Effect[]): Ending[] {
  const ended = { number, endedAt: at };
  const endings: Ending[] =
    call === null ? [] : [{ call, status: kind === "error" ? "failed" : "succeeded", value, ...ended }];
  for (const effect of effects) {
    if (effect.kind === "taken")
      endings.push({ call: effect.wait, status: "succeeded", value: effect.value, ...ended });
    else if (effect.kind === "abandon") endings.push({ call: effect.call, status: "abandoned", value: null, ...ended });
  }
  return endings;
}

function newStep(
  effect: Effect,
  { at }: { readonly at: number },
  attempts: readonly AttemptRow[],
): EncodedStepView | null {
  const number = Number.parseInt(effect.id, 10);
  const common = { number, status: "open" as const, value: null, startedAt: at, endedAt: null, superseded: false };
  switch (effect.kind) {
    case "call": {
      const { id: call, node, action: name, args, compensation } = effect;
      const own = attempts.filter((attempt) => attempt.call === call);
      return { call, node, kind: "action", name, compensation, args, ...common, attempts: own };
    }
    case "child": {
      const { id: call, node, workflow: name, input: args } = effect;
      return { call, node, kind: "child", name, compensation: false, args, ...common, attempts: [] };
    }
    case "sleep": {
      const { id: call, node, until } = effect;
      const args = JSON.stringify({ $date: until });
      return { call, node, kind: "sleep", name: "sleep", compensation: false, args, ...common, attempts: [] };
    }
    case "wait": {
      const { id: call, node, signal: name, until } = effect;
      const args = JSON.stringify(until === null ? null : { $date: until });
      return { call, node, kind: "signal", name, compensation: false, args, ...common, attempts: [] };
    }
    default:
      return null;
  }
}
