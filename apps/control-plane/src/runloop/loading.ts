import { newMachine } from "@cairnjs/vm";
import type { ClaimedRun } from "../store/claim-runs.ts";
import {
  type HistoryRow,
  loadHistory,
  loadRuns,
  loadSnapshots,
  loadTries,
  type RunRow,
  type SnapshotRow,
} from "../store/load-runs.ts";
import { HeldRun, newOpenStep, type OpenStep } from "./held-run.ts";
import type { LoadedVersion, Programs } from "./programs.ts";
import { replay } from "./replay.ts";
import { Turns } from "./turns.ts";
import type { Queryable } from "../store/statement.ts";

const NUMBER_MAX = 2 ** 31 - 1;

/** A claimed run that cannot be held, and why. */
export interface Unloadable {
  readonly claimed: ClaimedRun;
  readonly error: unknown;
}

/** Claimed runs with their state, made from the store. */
export async function loadHeldRuns(
  client: Queryable,
  programs: Programs,
  claimed: readonly ClaimedRun[],
): Promise<{ readonly held: HeldRun[]; readonly failed: Unloadable[] }> {
  const stored = await readStored(client, claimed);
  const held: HeldRun[] = [];
  const failed: Unloadable[] = [];
  const turns = new Turns();
  for (const each of claimed) {
    try {
      held.push(await load(programs, each, stored, turns));
    } catch (error) {
      failed.push({ claimed: each, error });
    }
  }
  await addTries(client, held);
  return { held, failed };
}

interface Stored {
  readonly rows: ReadonlyMap<string, RunRow>;
  readonly snapshots: ReadonlyMap<string, readonly SnapshotRow[]>;
  readonly history: ReadonlyMap<string, readonly HistoryRow[]>;
}

async function readStored(client: Queryable, claimed: readonly ClaimedRun[]): Promise<Stored> {
  const begun = claimed.filter((each) => each.begun).map(({ id }) => id);
  const [rows, parts] = await Promise.all([
    loadRuns(
      client,
      claimed.map(({ id }) => id),
    ),
    begun.length === 0
      ? []
      : loadSnapshots(
          client,
          begun.map((id) => ({ id, number: NUMBER_MAX })),
        ),
  ]);
  const snapshots = grouped(parts);
  const after = (id: string): number => snapshots.get(id)?.at(-1)?.number ?? 0;
  const history =
    begun.length === 0
      ? []
      : await loadHistory(
          client,
          begun.map((id) => ({ id, after: after(id), upTo: NUMBER_MAX })),
        );
  return { rows: new Map(rows.map((row) => [row.id, row])), snapshots, history: grouped(history) };
}

function grouped<Row extends { readonly runId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.runId);
    if (group === undefined) groups.set(row.runId, [row]);
    else group.push(row);
  }
  return groups;
}

/** As if it had not begun. */
export async function loadWithoutState(client: Queryable, programs: Programs, claimed: ClaimedRun): Promise<HeldRun> {
  const rows = await loadRuns(client, [claimed.id]);
  const nothing = { rows: new Map(rows.map((row) => [row.id, row])), snapshots: new Map(), history: new Map() };
  return load(programs, claimed, nothing, new Turns());
}

async function load(programs: Programs, claimed: ClaimedRun, stored: Stored, turns: Turns): Promise<HeldRun> {
  const row = stored.rows.get(claimed.id);
  if (row === undefined) throw new Error(`The run ${claimed.id} is in the queue and nowhere else`);
  const version = await programs.find(row.namespace, row.type, row.version);
  if (version === null) throw new Error(`The version ${row.version} of ${row.type} is gone`);
  const run = await restored(row, version, claimed, stored, turns);
  run.crashes = claimed.crashes;
  run.lastError = claimed.lastError;
  run.startedAt = claimed.startedAt;
  run.pastDeadline = claimed.pastDeadline;
  run.callsOut = claimed.callsOut;
  return run;
}

async function restored(
  row: RunRow,
  version: LoadedVersion,
  { attempt }: ClaimedRun,
  stored: Stored,
  turns: Turns,
): Promise<HeldRun> {
  const parts = stored.snapshots.get(row.id) ?? [];
  const history = stored.history.get(row.id) ?? [];
  if (parts.length === 0 && history.length === 0) return new HeldRun(row, version, newMachine(version.image), attempt);
  const { machine, open } = await replay(version.image, row, parts, history, turns);
  const run = new HeldRun(row, version, machine, attempt);
  for (const [id, effect] of open) run.open.set(id, newOpenStep(effect));
  const newest = parts.at(-1);
  const historyBytes = history.reduce((sum, { value }) => sum + 200 + (value?.length ?? 0), 0);
  run.restoredFrom(newest?.number ?? 0, newest?.base ?? 0, newest?.bytes.length ?? 0, historyBytes);
  return run;
}

/** What became of earlier tries of calls that are open. */
async function addTries(client: Queryable, runs: readonly HeldRun[]): Promise<void> {
  const calls: { readonly runId: string; readonly call: string; readonly step: OpenStep }[] = [];
  for (const run of runs) {
    for (const [call, step] of run.open) if (step.effect.kind === "call") calls.push({ runId: run.id, call, step });
  }
  if (calls.length === 0) return;
  const steps = new Map(calls.map(({ runId, call, step }) => [`${runId}/${call}`, step]));
  for (const tries of await loadTries(client, calls)) {
    const step = steps.get(`${tries.runId}/${tries.call}`)!;
    step.attempt = tries.attempt + 1;
    step.failed = tries.failed;
    step.lost = tries.lost;
    step.dueAt = tries.retryAt;
  }
}
