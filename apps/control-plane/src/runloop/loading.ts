import { newMachine } from "@cairnjs/vm";
import { BlobError, type BlobStore, BlobStoreUnavailable } from "../blobs/blob-store.ts";
import { resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import type { ClaimedRun } from "../store/claim-runs.ts";
import {
  type HistoryRow,
  loadHistory,
  loadRuns,
  loadSnapshots,
  loadTries,
  NUMBER_MAX,
  type RunRow,
  type StoredSnapshot,
} from "../store/load-runs.ts";
import { limitedCallsOf } from "../store/limits.ts";
import { HeldRun, newOpenStep, type OpenStep } from "./held-run.ts";
import type { LoadedVersion, Programs } from "./programs.ts";
import { replay } from "./replay.ts";
import { Turns } from "./turns.ts";
import type { Queryable } from "../store/statement.ts";

/** A claimed run that cannot be held, and why. */
export interface Unloadable {
  readonly claimed: ClaimedRun;
  readonly error: unknown;
}

/** What runs are loaded from. */
export interface LoadingSources {
  readonly control: Queryable;
  readonly programs: Programs;
  readonly blobs: BlobStore;
}

/** Claimed runs with their state, made from the store. */
export async function loadHeldRuns(
  sources: LoadingSources,
  claimed: readonly ClaimedRun[],
): Promise<{ readonly held: HeldRun[]; readonly failed: Unloadable[] }> {
  const stored = await readStored(sources.control, claimed);
  const held: HeldRun[] = [];
  const failed: Unloadable[] = [];
  const turns = new Turns();
  for (const each of claimed) {
    try {
      held.push(await load(sources, each, stored, turns));
    } catch (error) {
      // The run is not to blame for that.
      if (error instanceof BlobStoreUnavailable) throw error;
      failed.push({ claimed: each, error });
    }
  }
  await addTries(sources.control, held);
  if (!sources.programs.limits.isEmpty) await addSlots(sources.control, held);
  return { held, failed };
}

interface Stored {
  readonly rows: ReadonlyMap<string, RunRow>;
  readonly snapshots: ReadonlyMap<string, readonly StoredSnapshot[]>;
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

/** As if it had not begun. It can be ended without its input: if that cannot be had, the reference stays in its place. */
export async function loadWithoutState(sources: LoadingSources, claimed: ClaimedRun): Promise<HeldRun> {
  const row = (await loadRuns(sources.control, [claimed.id]))[0];
  if (row === undefined) throw gone(claimed);
  const readable = await resolveRun(sources.blobs, row).catch((error: unknown) => {
    if (error instanceof BlobError) return row;
    throw error;
  });
  const version = await versionOf(sources.programs, row);
  const run = claimedAs(new HeldRun(readable, version, newMachine(version.image), claimed.attempt), claimed);
  run.isWithoutState = true;
  return run;
}

async function load(
  { programs, blobs }: LoadingSources,
  claimed: ClaimedRun,
  stored: Stored,
  turns: Turns,
): Promise<HeldRun> {
  const row = stored.rows.get(claimed.id);
  if (row === undefined) throw gone(claimed);
  const version = await versionOf(programs, row);
  return claimedAs(await restored(blobs, row, version, claimed, stored, turns), claimed);
}

function gone({ id }: ClaimedRun): Error {
  return new Error(`The run ${id} is in the queue and nowhere else`);
}

async function versionOf(programs: Programs, { namespace, type, version }: RunRow): Promise<LoadedVersion> {
  const found = await programs.find(namespace, type, version);
  if (found === null) throw new Error(`The version ${version} of ${type} is gone`);
  return found;
}

function claimedAs(run: HeldRun, claimed: ClaimedRun): HeldRun {
  run.crashes = claimed.crashes;
  run.lastError = claimed.lastError;
  run.startedAt = claimed.startedAt;
  run.wasNoted(claimed.leasedAt);
  run.pastDeadline = claimed.pastDeadline;
  run.callsOut = claimed.callsOut;
  run.isPaused = claimed.paused;
  return run;
}

async function restored(
  blobs: BlobStore,
  stored: RunRow,
  version: LoadedVersion,
  { attempt }: ClaimedRun,
  { snapshots, history: inputs }: Stored,
  turns: Turns,
): Promise<HeldRun> {
  const row = await resolveRun(blobs, stored);
  const parts = await resolveSnapshots(blobs, snapshots.get(row.id) ?? []);
  const history = await resolveHistory(blobs, inputs.get(row.id) ?? []);
  if (parts.length === 0 && history.length === 0) return new HeldRun(row, version, newMachine(version.image), attempt);
  const { machine, open } = await replay(version.image, row, parts, history, turns);
  const run = new HeldRun(row, version, machine, attempt);
  for (const [id, effect] of open) run.open.set(id, newOpenStep(effect));
  const newest = parts.at(-1);
  const historyBytes = history.reduce((sum, { value }) => sum + 200 + (value?.length ?? 0), 0);
  run.restoredFrom(newest?.number ?? 0, newest?.base ?? 0, newest?.bytes.length ?? 0, historyBytes);
  return run;
}

/** Of calls whose actions are limited: whether their turn has come. */
async function addSlots(client: Queryable, runs: readonly HeldRun[]): Promise<void> {
  const calling = runs.filter(({ open }) => [...open.values()].some(({ effect }) => effect.kind === "call"));
  if (calling.length === 0) return;
  const byId = new Map(calling.map((run) => [run.id, run]));
  for (const { runId, call, attempt, key, granted } of await limitedCallsOf(client, [...byId.keys()])) {
    const step = byId.get(runId)!.open.get(call);
    if (step !== undefined) step.slot = { attempt, key, granted };
  }
}

/** What became of earlier tries of calls that are open. */
async function addTries(client: Queryable, runs: readonly HeldRun[]): Promise<void> {
  const calls: { readonly runId: string; readonly call: string; readonly after: number; readonly step: OpenStep }[] =
    [];
  for (const { id: runId, open } of runs) {
    for (const [call, step] of open) {
      if (step.effect.kind === "call") calls.push({ runId, call, after: step.effect.tried ?? 0, step });
    }
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
