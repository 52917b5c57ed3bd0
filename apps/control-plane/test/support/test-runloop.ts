import { randomUUID } from "node:crypto";
import { definitionOf } from "cairnjs";
import { declaredWorkflows, encodeCopy } from "cairnjs/host";
import type pg from "pg";
import { onTestFinished } from "vitest";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { newRunId } from "../../src/ids.ts";
import { Registrar } from "../../src/library/registrar.ts";
import { DatabaseClock } from "../../src/runloop/clock.ts";
import type { WarningFacts } from "../../src/warn.ts";
import type { CallId, CallOutcome, Dispatch, EndedNotice, TryId } from "../../src/runloop/outside.ts";
import { Memory } from "../../src/runloop/memory.ts";
import { poolOf } from "../../src/runloop/pools.ts";
import type { LivesOptions } from "../../src/runloop/lives.ts";
import { Programs } from "../../src/runloop/programs.ts";
import { Runloop } from "../../src/runloop/runloop.ts";
import type { RunloopOptions } from "../../src/runloop/runloop-options.ts";
import { SharedCells } from "../../src/runloop/shared-cells.ts";
import { openConnection } from "../../src/store/connection.ts";
import { openOwner } from "../../src/store/owners.ts";
import { type NewRun, startRuns } from "../../src/store/start-runs.ts";
import { databaseTime } from "../../src/store/time.ts";
import { type TestBed, until } from "./test-engine.ts";

/** One runloop on real connections, whose outside is the test: it sees what is dispatched, and answers. */
export interface TestLoop {
  readonly runloop: Runloop;
  readonly owner: string;
  readonly control: pg.Client;
  readonly commits: readonly pg.Client[];
  /** What it said, in order. */
  readonly dispatched: Dispatch[];
  readonly adopted: Dispatch[];
  readonly aborted: CallId[];
  readonly recalled: TryId[];
  readonly acknowledged: TryId[];
  readonly ended: EndedNotice[];
  readonly warnings: string[];
  /** What these are about. */
  readonly warnedOf: (WarningFacts | undefined)[];
  readonly lost: unknown[];
  /** Starts a run that it holds at once. */
  start(workflow: unknown, input?: unknown, options?: Partial<NewRun>): Promise<string>;
  /** The call with this number among those dispatched, as soon as it is there. */
  call(index: number): Promise<Dispatch>;
  /** The first so many of them. */
  calls(count: number): Promise<Dispatch[]>;
  end(runId: string): Promise<EndedNotice>;
  answer(call: Dispatch, value: unknown): void;
  fail(call: Dispatch, message: string, retry?: CallOutcome["retry"]): void;
}

export interface TestLoopOptions extends Partial<
  Pick<RunloopOptions, "heldMax" | "memory" | "alone" | "random" | "clock">
> {
  readonly leaseMs?: number;
  readonly lockTimeoutMs?: number;
  /** Where commits are made; without it, where everything else is. */
  readonly commitUrl?: string;
  /** Without it, the database's. */
  readonly blobs?: BlobStore;
  readonly adopt?: (calls: readonly Dispatch[], runloop: Runloop) => void;
}

/** What a runloop needs of a test's database. */
export type LoopBed = Pick<TestBed, "url" | "query">;

export async function openLoop(bed: LoopBed, options: TestLoopOptions = {}): Promise<TestLoop> {
  const [control, ...commits] = await Promise.all([
    connect(bed),
    connect(bed, options.commitUrl),
    connect(bed, options.commitUrl),
  ]);
  for (const client of commits) await client.query(`SET lock_timeout = ${options.lockTimeoutMs ?? 0}`);
  const owner = randomUUID();
  const { leaseMs = 3_600_000, alone = false } = options;
  const incarnation = await openOwner(control, { id: owner, leaseMs, address: "a test", alone, hasSession: true });
  const clock = options.clock ?? new DatabaseClock(() => performance.now());
  clock.observe(await databaseTime(control));
  const programs = new Programs(control, () => performance.now());
  await registerDeclared(control, programs);
  const said = {
    dispatched: [] as Dispatch[],
    adopted: [] as Dispatch[],
    aborted: [] as CallId[],
    recalled: [] as TryId[],
    acknowledged: [] as TryId[],
    ended: [] as EndedNotice[],
    warnings: [] as string[],
    warnedOf: [] as (WarningFacts | undefined)[],
    lost: [] as unknown[],
  };
  const cells = new SharedCells();
  cells.room = 10_000;
  const runloop: Runloop = new Runloop({
    owner,
    incarnation,
    namespace: null,
    leases: { own: null, others: [] },
    control,
    commits,
    programs,
    blobs: options.blobs ?? openBlobs(control, null),
    clock,
    random: options.random ?? (() => 0),
    outside: {
      dispatch: (calls) => void said.dispatched.push(...calls),
      adopt: (calls) => {
        said.adopted.push(...calls);
        options.adopt?.(calls, runloop);
      },
      abort: (calls) => void said.aborted.push(...calls),
      recall: (calls) => void said.recalled.push(...calls),
      acknowledge: (calls) => void said.acknowledged.push(...calls),
      ended: (notices) => void said.ended.push(...notices),
      notify: () => {},
      warn: (message, _error, about) => {
        said.warnings.push(message);
        said.warnedOf.push(about);
      },
    },
    heldMax: options.heldMax ?? 10_000,
    batchMax: 1_000,
    memory: options.memory ?? new Memory(512 * 1024 * 1024),
    alone,
    cells,
    lost: (error) => void said.lost.push(error),
  });
  onTestFinished(() => (said.lost.length > 0 ? undefined : runloop.close().catch(() => {})));
  return {
    runloop,
    owner,
    control,
    commits,
    ...said,
    start: async (workflow, input, changes = {}) => {
      const run = await newRun(programs, workflow, input, await databaseTime(control), changes);
      await runloop.start([run]);
      return run.id;
    },
    call: (index) => until(async () => said.dispatched[index]),
    calls: (count) => until(async () => said.dispatched.length >= count && said.dispatched.slice(0, count)),
    end: (runId) => until(async () => said.ended.find((notice) => notice.runId === runId)),
    answer: (call, value) => runloop.outcomes([outcomeOf(call, "result", encodeCopy(value, "result").text)]),
    fail: (call, message, retry = null) => runloop.outcomes([{ ...outcomeOf(call, "error", errorOf(message)), retry }]),
  };
}

/** Of a runloop that opens its own connections and has nobody to talk to. */
export function quietOptions(bed: TestBed): Omit<LivesOptions, "blobs" | "cells" | "random"> {
  const nothing = (): void => {};
  return {
    settings: {
      url: bed.url,
      namespace: null,
      leases: { own: null, others: [] },
      address: "a test",
      leaseMs: 30_000,
      heldMax: 10,
      batchMax: 1_000,
      heldBytesMax: 64 * 1024 * 1024,
      alone: false,
    },
    outside: {
      dispatch: nothing,
      adopt: nothing,
      abort: nothing,
      recall: nothing,
      acknowledge: nothing,
      ended: nothing,
      notify: nothing,
      warn: nothing,
    },
    begun: async () => {},
  };
}

/** Starts runs that nobody owns. */
export async function startUnowned(
  bed: TestBed,
  workflow: unknown,
  inputs: readonly unknown[],
  changes: Partial<NewRun> = {},
): Promise<string[]> {
  const client = await connect(bed);
  const programs = new Programs(client, () => performance.now());
  await registerDeclared(client, programs);
  const moment = await databaseTime(client);
  const runs: NewRun[] = [];
  for (const input of inputs) runs.push(await newRun(programs, workflow, input, moment, changes));
  await startRuns(client, null, runs);
  return runs.map(({ id }) => id);
}

export function outcomeOf(call: Dispatch, kind: "result" | "error", value: string): CallOutcome {
  const { incarnation, runId, call: id, attempt } = call;
  return { incarnation, runId, call: id, attempt, kind, value, retry: null, worker: "a test", durationMs: 0 };
}

function errorOf(message: string): string {
  return JSON.stringify({ $error: { names: ["Error"], message } });
}

export async function connect(bed: LoopBed, url = bed.url): Promise<pg.Client> {
  const client = await openConnection(url, "test");
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** A transaction of someone else's, which holds what the statement locks until it is released. */
export async function lockWith(
  bed: TestBed,
  statement: string,
  end: "ROLLBACK" | "COMMIT" = "ROLLBACK",
): Promise<() => Promise<void>> {
  const client = await connect(bed);
  await client.query("BEGIN");
  await client.query(statement);
  return async () => void (await client.query(end));
}

/** Until so many statements wait for a lock. */
export async function untilBlocked(bed: TestBed, count = 1): Promise<number[]> {
  return until(async () => {
    const rows = await bed.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count && rows.map(({ pid }) => pid);
  });
}

/** All workflows of the file that the test imports: some are children of others. */
async function registerDeclared(client: pg.Client, programs: Programs): Promise<void> {
  const registrar = new Registrar(client, "default", programs);
  for (const definition of declaredWorkflows()) await registrar.register(definition);
}

async function newRun(
  programs: Programs,
  workflow: unknown,
  input: unknown,
  moment: number,
  changes: Partial<NewRun>,
): Promise<NewRun> {
  const definition = definitionOf(workflow);
  if (definition?.kind !== "workflow") throw new TypeError("This takes a workflow");
  const version = (await programs.current("default", definition.name))!;
  return {
    id: newRunId(moment),
    namespace: "default",
    type: version.name,
    version: version.version,
    pool: poolOf("default", version),
    priority: 0,
    payload: encodeCopy(input, "input").text,
    maxAttempts: version.maxAttempts,
    runAt: null,
    tags: [],
    deadline: null,
    idempotencyKey: null,
    payloadDigest: "00",
    deadLetterType: null,
    traceparent: null,
    ...changes,
  };
}
