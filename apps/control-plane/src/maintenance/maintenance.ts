import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { sweptBlobs } from "../blobs/open-blobs.ts";
import { LastingConnection } from "../keeper/lasting-connection.ts";
import type { Duty } from "../library/duties.ts";
import type { Sources } from "../library/rebuilding.ts";
import { isConnectionLoss } from "../store/connection.ts";
import { createPartitions } from "../store/create-partitions.ts";
import { sweepBlobReaders } from "../store/blob-readers.ts";
import { lastDone, leaseTask, releaseTask, taskDone } from "../store/maintenance-lease.ts";
import { listRetention } from "../store/retention-rules.ts";
import { sweepSessions } from "../store/sessions.ts";
import { databaseTime } from "../store/time.ts";
import { vacuumRuns } from "../store/vacuum.ts";
import type { Warn } from "../warn.ts";
import { Archive } from "./archive.ts";
import { sweepAudit } from "./audit-sweep.ts";
import { sweepBlobs } from "./blob-sweep.ts";
import { Keeps, type UsualKeeps } from "./keeps.ts";
import { sweepPublished } from "./outbox-sweep.ts";
import type { Pass } from "./pass.ts";
import { removeOver } from "./run-removal.ts";
import { addDone, type Maintained, nothingDone } from "./tally.ts";
import { sweepWeeks } from "./week-sweep.ts";

/** Whether something is due is looked at so often; a process that lives shorter does nothing of this. */
const LOOK_EVERY_MS = 60_000;
/** A pass that failed is tried again after two minutes, then after twice as long each time. */
const AGAIN_MS = 60_000;
const AGAIN_MAX_MS = 60 * 60 * 1_000;
/** A pass that is closed ends before its next piece of work; a statement that takes longer than this is not waited for. */
const CLOSE_MS = 500;
const PARTITIONS_EVERY_MS = 60 * 60 * 1_000;
/** It goes through all rows that may name one. */
const BLOBS_EVERY_MS = 24 * 60 * 60 * 1_000;
/** How long the task stays with a process that says nothing. */
const LEASE_MS = 60_000;
const KEEP_EVERY_MS = LEASE_MS / 4;
/** Whoever stands in its way for longer is left alone until the next pass. */
const LOCK_TIMEOUT_MS = 1_000;
/** With the pauses between, it takes about a minute. */
const LOCK_TRIES_MAX = 12;
const VACUUM_RUNS_MIN = 20_000;

const RETENTION = "retention";
const BLOBS = "blobs";

export interface RetentionSettings {
  /** Where no rule says otherwise. */
  readonly keeps: UsualKeeps;
  /** How long blobs stay that nothing names; null: for ever. */
  readonly blobsMs: number | null;
  /** A folder; null: what is removed is not archived. */
  readonly archive: string | null;
  /** Between passes. */
  readonly everyMs: number;
  /** Whether this process does it. Partitions for coming weeks are made by all. */
  readonly isActive: boolean;
}

export interface MaintenanceOptions {
  readonly url: string;
  readonly settings: RetentionSettings;
  readonly blobFolder: string | null;
  readonly sources: Omit<Sources, "namespace" | "client">;
  readonly log: (line: string) => void;
  readonly warn: Warn;
}

/**
 * Makes partitions for what comes, and removes what is over.
 *
 * Owns: its connection; the task, by a lease, so that one process does it at a time. Nothing depends on that: each step can be repeated, and done by two
 * at once, and whoever stops in the midst of it leaves what the next pass finds.
 *
 * Invariants:
 *   M1  A run that lives is not touched, nor is anything that belongs to it.
 *   M2  A run is removed in one transaction, with its keys; of what is archived, only after the archive is durable.
 *   M3  Nobody waits for it longer than a commit waits for a lock.
 */
export class Maintenance implements Duty {
  readonly #id = randomUUID();
  readonly #options: MaintenanceOptions;
  readonly #connection: LastingConnection;
  readonly #closing = new AbortController();
  readonly #maintained: Maintained = nothingDone();
  #partitionsAt = performance.now();
  /** Passes that failed, one after the other, and when the next may begin. */
  #failures = 0;
  #againAt = performance.now();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  /** What is under way, whoever wanted it. */
  #passing: Promise<Maintained | null> | null = null;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#connection = new LastingConnection(options.url, "maintenance", [`lock_timeout=${LOCK_TIMEOUT_MS}`]);
  }

  /** Since this process began. */
  get maintained(): Readonly<Maintained> {
    return this.#maintained;
  }

  open(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => (this.#looking = null));
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  heard(): void {}

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearInterval(this.#timer);
    const ended = Promise.allSettled([this.#looking, this.#passing]);
    if ((await Promise.race([ended, delay(CLOSE_MS, null, { ref: false })])) === null) this.#connection.breakOff();
    await ended;
    await this.#connection.close();
  }

  async #look(): Promise<void> {
    try {
      const client = await this.#connection.client();
      await this.#makePartitions(client);
      await this.#passIfDue(client);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#options.warn("What is over could not be removed, and is tried again", error);
      if (this.#passing === null) await this.#connection.close();
    }
  }

  async #passIfDue(client: pg.Client): Promise<void> {
    const { isActive, everyMs } = this.#options.settings;
    if (!isActive || performance.now() < this.#againAt || !(await this.#isDue(client, RETENTION, everyMs))) return;
    try {
      if ((await this.pass()) !== null) this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#againAt = performance.now() + againAfterMs(this.#failures);
      throw error;
    }
  }

  async #makePartitions(client: pg.Client): Promise<void> {
    if (performance.now() < this.#partitionsAt) return;
    await createPartitions(client);
    this.#partitionsAt = performance.now() + PARTITIONS_EVERY_MS;
  }

  async #isDue(client: pg.Client, task: string, everyMs: number): Promise<boolean> {
    const last = await lastDone(client, task);
    return last === null || last.at + everyMs <= (await databaseTime(client));
  }

  /** Removes what is over now. Null: another process is at it, or this one. */
  async pass(): Promise<Maintained | null> {
    if (this.#passing !== null) return null;
    this.#passing = this.#pass().finally(() => (this.#passing = null));
    return this.#passing;
  }

  async #pass(): Promise<Maintained | null> {
    const client = await this.#livingClient();
    if (!(await leaseTask(client, RETENTION, this.#id, LEASE_MS))) return null;
    const pass = await this.#begin(client);
    try {
      await this.#doParts(client, pass);
      await taskDone(client, RETENTION, this.#id, JSON.stringify(pass.done));
      return pass.done;
    } catch (error) {
      await releaseTask(client, RETENTION, this.#id).catch(() => {});
      if (isConnectionLoss(error)) await this.#connection.close();
      throw error;
    } finally {
      addDone(this.#maintained, pass.done);
      this.#tell(pass.done);
    }
  }

  /** One that fails takes no other with it; the first error is that of the pass. */
  async #doParts(client: pg.Client, pass: Pass): Promise<void> {
    const parts = [
      () => createPartitions(client),
      () => sweepPublished(pass),
      () => sweepSessions(client),
      () => sweepBlobReaders(client),
      () => sweepAudit(pass),
      () => removeOver(pass),
      () => sweepWeeks(pass),
      () => this.#sweepBlobs(client, pass),
      async () => pass.done.runsRemoved >= VACUUM_RUNS_MIN && (await vacuumRuns(client)),
    ];
    const errors: unknown[] = [];
    for (const part of parts) {
      try {
        await part();
      } catch (error) {
        if (this.#closing.signal.aborted || error instanceof TakenOver || isConnectionLoss(error)) throw error;
        if (errors.length > 0) pass.warn("Of what is over, more could not be removed", error);
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** One that broke since it was last used is opened again. */
  async #livingClient(): Promise<pg.Client> {
    const client = await this.#connection.client();
    try {
      await databaseTime(client);
      return client;
    } catch (error) {
      if (!isConnectionLoss(error) || this.#closing.signal.aborted) throw error;
      await this.#connection.close();
      return this.#connection.client();
    }
  }

  async #sweepBlobs(client: pg.Client, pass: Pass): Promise<void> {
    const { settings, blobFolder } = this.#options;
    if (settings.blobsMs === null || !(await this.#isDue(client, BLOBS, BLOBS_EVERY_MS))) return;
    if (!(await leaseTask(client, BLOBS, this.#id, LEASE_MS))) return;
    await sweepBlobs(pass, sweptBlobs(client, blobFolder), settings.blobsMs);
    await taskDone(client, BLOBS, this.#id, JSON.stringify({ blobsRemoved: pass.done.blobsRemoved }));
  }

  async #begin(client: pg.Client): Promise<Pass> {
    const { settings, sources, warn } = this.#options;
    const now = await databaseTime(client);
    let keptAt = performance.now();
    return {
      client,
      now,
      keeps: new Keeps(await listRetention(client, null), settings.keeps),
      archive:
        settings.archive === null
          ? null
          : new Archive({
              folder: settings.archive,
              sources: (namespace) => ({ ...sources, client, namespace }),
              now,
              warn,
            }),
      done: nothingDone(),
      signal: this.#closing.signal,
      keepTask: async () => {
        this.#closing.signal.throwIfAborted();
        if (performance.now() - keptAt < KEEP_EVERY_MS) return;
        if (!(await leaseTask(client, RETENTION, this.#id, LEASE_MS))) throw new TakenOver();
        keptAt = performance.now();
      },
      lockTriesMax: LOCK_TRIES_MAX,
      warn,
    };
  }

  #tell(done: Maintained): void {
    const parts = Object.entries(done).filter(([, count]) => count > 0);
    if (parts.length === 0) return;
    this.#options.log(
      `retention: ${parts.map(([name, count]) => `${count} ${WORDS[name as keyof Maintained]}`).join(", ")}`,
    );
  }
}

class TakenOver extends Error {
  override name = "TakenOver";

  constructor() {
    super("Another process has taken over");
  }
}

export function againAfterMs(failures: number): number {
  return Math.min(AGAIN_MAX_MS, AGAIN_MS * 2 ** failures);
}

const WORDS: Readonly<Record<keyof Maintained, string>> = {
  runsRemoved: "runs removed",
  runsArchived: "runs archived",
  eventsRemoved: "events of runs deleted",
  outboxRemoved: "published events removed",
  auditRemoved: "entries of the audit log removed",
  blobsRemoved: "blobs removed",
  partitionsRewritten: "partitions rewritten",
  partitionsDropped: "partitions dropped",
};
