import { InvalidProgram, type Program, programHash, validateProgram } from "@cairnjs/ir";
import { ExportedRun } from "@cairnjs/schemas/rest";
import { type Image, loadProgram } from "@cairnjs/vm";
import { Diverged } from "../runloop/replay.ts";
import type { HistoryRow, RunRow, SnapshotRow } from "../store/load-runs.ts";
import { walkHistory } from "./walk-history.ts";

/** How a run was run again. */
export interface ReplayedRun {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly status: string;
  /** Inputs that were delivered and had the effects that they had then. */
  readonly inputs: number;
  /** Where it did otherwise; null: it did all as then. */
  readonly diverged: Divergence | null;
}

export interface Divergence {
  /** The input that had other effects, or could not be delivered. */
  readonly number: number;
  readonly kind: string;
  readonly node: string | null;
  readonly call: string | null;
  readonly reason: string;
}

/** What was given is no exported run; the message is one line. */
export class NotAnExport extends Error {
  override readonly name = "NotAnExport";
}

/**
 * Delivers every input of an exported run to the VM again, and compares the effects of each with those it had. Nothing is
 * called, and there is no database.
 */
export async function replayRun(given: unknown, delivered: (count: number) => void = () => {}): Promise<ReplayedRun> {
  const exported = checkedExport(given);
  const { run, history } = exported;
  const image = imageOf(exported);
  const rows = history.map(({ atMs: at, ...input }): HistoryRow => ({ ...input, runId: run.id, at }));
  let inputs = 0;
  const taken = (): void => delivered(++inputs);
  const walked = { image, run: rowOf(exported), first: [], history: rows, partsOf: partsIn(exported) };
  const about = { id: run.id, type: run.type, version: run.version, status: run.status };
  try {
    await walkHistory(walked, { taken, inherited: () => {} });
    return { ...about, inputs, diverged: null };
  } catch (error) {
    return { ...about, inputs, diverged: divergenceAt(rows, inputs, error) };
  }
}

function checkedExport(given: unknown): ExportedRun {
  const { success, data, error } = ExportedRun.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  throw new NotAnExport(`This is no exported run: ${issue?.path.join(".") || "it"} ${issue?.message ?? ""}`);
}

/** A program comes from outside: nothing of it is believed. */
function imageOf({ version }: ExportedRun): Image {
  const program = checkedProgram(version.program);
  if (programHash(program) !== version.programHash) {
    throw new NotAnExport("Its program is not the one that the run had: it has another hash");
  }
  return loadProgram(program);
}

function checkedProgram(given: unknown): Program {
  try {
    return validateProgram(given);
  } catch (error) {
    if (error instanceof InvalidProgram) throw new NotAnExport(`Its program is none: ${error.message}`);
    throw error;
  }
}

/** What the VM is told of a run; the rest is for those who hold it. */
function rowOf({ run, payload }: ExportedRun): RunRow {
  const { id, namespace, type, version, priority, maxAttempts, tags, parent } = run;
  return {
    id,
    namespace,
    type,
    version,
    priority,
    payload,
    checked: true,
    maxAttempts,
    tags,
    deadline: null,
    parent,
    parentCall: null,
    deadLetterType: null,
    expiresAt: null,
    effects: null,
    formerStatus: null,
    forkedFrom: null,
    forkedNumber: null,
    deleted: false,
    traceparent: null,
  };
}

function partsIn({ run, snapshots }: ExportedRun): (number: number) => Promise<readonly SnapshotRow[]> {
  const all = snapshots.map(({ bytes, ...part }) => ({ ...part, runId: run.id, bytes: Buffer.from(bytes, "base64") }));
  return async (number) => {
    const newest = all.findLast((part) => part.number === number);
    if (newest === undefined) throw new Error("The state that it went on from is not in the export");
    return all.filter((part) => part.number >= newest.base && part.number <= number);
  };
}

function divergenceAt(rows: readonly HistoryRow[], delivered: number, error: unknown): Divergence {
  // Those with a state of their own are not delivered.
  const inputs = rows.filter(({ kind }) => kind !== "rollback" && kind !== "fork");
  const { number, kind, node, call } = inputs[delivered] ?? rows.at(-1)!;
  const reason = error instanceof Diverged ? "it has other effects than it had" : firstLine(error);
  return { number, kind, node, call, reason };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
}
