import { type Effect, inspect, type Machine, type MachineView } from "@cairnjs/vm";
import type { BlobStore } from "../blobs/blob-store.ts";
import { resolveAttempts, resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import type { Programs } from "../runloop/programs.ts";
import { replay, type Replayed } from "../runloop/replay.ts";
import { Turns } from "../runloop/turns.ts";
import { type AttemptRow, loadAttempts } from "../store/load-attempts.ts";
import { type HistoryRow, loadHistory, loadRuns, loadSnapshots, NUMBER_MAX } from "../store/load-runs.ts";
import { EngineError } from "./engine-error.ts";
import type { Queryable } from "../store/statement.ts";

/** One passage through a node of the program. Values are encoded. */
export interface EncodedStepView {
  /** Unique in the run. */
  readonly call: string;
  readonly node: string;
  readonly kind: "action" | "child" | "sleep" | "signal";
  /** Of the action, workflow or signal. */
  readonly name: string;
  readonly compensation: boolean;
  /** Array of arguments, the child's input, or when it is due. */
  readonly args: string;
  status: "open" | "succeeded" | "failed" | "abandoned";
  value: string | null;
  readonly startedAt: number;
  endedAt: number | null;
  readonly attempts: readonly AttemptRow[];
}

/** What a run is looked at through. */
interface Sources {
  readonly client: Queryable;
  readonly programs: Programs;
  readonly blobs: BlobStore;
  readonly namespace: string;
}

/** All steps of a run in the order they were issued: made from its history, since the machine is pure. */
export async function readSteps(sources: Sources, id: string): Promise<EncodedStepView[]> {
  const attempts = await resolveAttempts(sources.blobs, id, await loadAttempts(sources.client, id));
  const steps = new Map<string, EncodedStepView>();
  await rebuild(sources, id, NUMBER_MAX, {
    fromStart: true,
    taken: (row, effects) => follow(steps, row, effects, attempts),
  });
  return [...steps.values()];
}

export interface EncodedStateView extends MachineView {
  readonly number: number;
  readonly at: number;
  readonly phase: Machine["phase"];
  readonly open: readonly EncodedStepView[];
}

/** The state after input n: from the last snapshot before it, and the inputs up to it. */
export async function readState(sources: Sources, id: string, number: number): Promise<EncodedStateView> {
  const { machine, open } = await rebuild(sources, id, number, { fromStart: false });
  if (machine.inputNumber !== number) {
    throw new EngineError("NotFound", `The run ${id} has taken ${machine.inputNumber} inputs, not ${number}`);
  }
  const steps = Array.from(open.values(), (effect) => newStep(effect, machine.at, [])!);
  return { number, at: machine.at, phase: machine.phase, open: steps, ...inspect(machine) };
}

async function rebuild(
  { client, programs, blobs, namespace }: Sources,
  id: string,
  number: number,
  how: { readonly fromStart: boolean; readonly taken?: (row: HistoryRow, effects: readonly Effect[]) => void },
): Promise<Replayed> {
  const [run] = await loadRuns(client, [id]);
  if (run === undefined || run.namespace !== namespace) throw new EngineError("NotFound", `There is no run ${id}`);
  const version = await programs.find(namespace, run.type, run.version);
  if (version === null) throw new EngineError("UnknownType", `The version ${run.version} of ${run.type} is gone`);
  const parts = how.fromStart ? [] : await resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number }]));
  const stored = await loadHistory(client, [{ id, after: parts.at(-1)?.number ?? 0, upTo: number }]);
  const history = await resolveHistory(blobs, stored);
  const payload = await resolveRun(blobs, run);
  const observer = how.taken === undefined ? {} : { taken: how.taken };
  return replay(version.image, payload, parts, history, new Turns(), observer);
}

function follow(
  steps: Map<string, EncodedStepView>,
  row: HistoryRow,
  effects: readonly Effect[],
  attempts: readonly AttemptRow[],
): void {
  if (row.call !== null) settle(steps, row.call, row.kind === "error" ? "failed" : "succeeded", row.value, row.at);
  for (const effect of effects) {
    const step = newStep(effect, row.at, attempts);
    if (step !== null) steps.set(step.call, step);
    else if (effect.kind === "taken") settle(steps, effect.wait, "succeeded", effect.value, row.at);
    else if (effect.kind === "abandon") settle(steps, effect.call, "abandoned", null, row.at);
  }
}

function settle(
  steps: Map<string, EncodedStepView>,
  call: string,
  status: EncodedStepView["status"],
  value: string | null,
  at: number,
): void {
  const step = steps.get(call);
  if (step === undefined || step.status !== "open") return;
  step.status = status;
  step.value = value;
  step.endedAt = at;
}

function newStep(effect: Effect, at: number, attempts: readonly AttemptRow[]): EncodedStepView | null {
  const common = { status: "open" as const, value: null, startedAt: at, endedAt: null };
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
