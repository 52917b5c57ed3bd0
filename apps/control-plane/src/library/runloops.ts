import type { BlobStore } from "../blobs/blob-store.ts";
import type { CallRunner, RunnerEvents } from "../hub/call-runner.ts";
import { Lives } from "../runloop/lives.ts";
import type { Outside } from "../runloop/outside.ts";
import { servesLease, shareOf } from "../runloop/pools.ts";
import type { CountedRunloop } from "../runloop/runloop-counters.ts";
import { SharedCells } from "../runloop/shared-cells.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { type RunloopPort, RunloopWorker } from "../threads/runloop-worker.ts";
import type { EngineOptions } from "./engine-options.ts";

/** A runloop of this process. */
interface Member {
  readonly runloop: RunloopPort;
  /** The length of leases that it serves; null: the usual one. */
  readonly lease: number | null;
  readonly cells: SharedCells;
}

export interface RunloopsOptions {
  readonly settings: Pick<
    EngineOptions,
    | "url"
    | "namespace"
    | "leaseMs"
    | "leases"
    | "heldMax"
    | "batchMax"
    | "heldBytesMax"
    | "memoryMb"
    | "runloops"
    | "blobFolder"
    | "warn"
  >;
  /** Of this process, for people. */
  readonly address: string;
  readonly blobs: BlobStore;
  readonly makeRunner: <Owner>(events: RunnerEvents<Owner>) => CallRunner<Owner>;
  /** Jobs that are claimed for the actions of this process; null: workers have them. */
  readonly served: () => ReadonlyMap<string, number> | null;
  /** What a runloop shows of itself is looked at from now on. */
  readonly keep: (cells: SharedCells) => void;
  /** Outcomes of these calls are committed. */
  readonly acknowledged: Outside["acknowledge"];
  readonly ended: Outside["ended"];
  readonly notify: Outside["notify"];
}

/**
 * The runloops of a process, and whoever runs their calls.
 *
 * Owns: the runloops, that of the quarantine among them; whose turn it is to take the runs that are started here; which runloop hears
 * what of a call. Does not own: what follows for others when runs begin and end.
 */
export class Runloops {
  readonly #options: RunloopsOptions;
  readonly #runner: CallRunner<Member>;
  readonly #members: readonly Member[];
  /** For runs that were taken over again and again; started when there is one. */
  #quarantine: Member | null = null;
  #turn = 0;

  constructor(options: RunloopsOptions) {
    const { runloops, leases } = options.settings;
    this.#options = options;
    this.#runner = options.makeRunner<Member>({
      report: (member, outcomes) => member.runloop.outcomes(outcomes),
      strangers: (member, calls) => member.runloop.strangers(calls),
      unserved: (member, calls) => member.runloop.unserved(calls),
      joined: (namespace, segments) => {
        for (const { runloop } of this.#everyone()) runloop.joined(namespace, segments);
      },
      roomChanged: () => this.#showRoom(),
    });
    this.#members = [
      ...Array.from({ length: Math.max(1, runloops) }, () => this.#newMember(false)),
      ...leases.map((lease) => this.#newMember(false, lease)),
    ];
    this.#showRoom();
  }

  async open(): Promise<void> {
    await Promise.all(this.#members.map(({ runloop }) => runloop.open()));
  }

  /** Each by a runloop whose owner has the right lease; these take turns. */
  async start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    const { leases } = this.#options.settings;
    const started = [null, ...leases].map(async (lease) => {
      const own = runs.filter(({ pool }) => servesLease({ own: lease, others: leases }, pool));
      const members = this.#members.filter((member) => member.lease === lease);
      return own.length === 0 ? [] : members[this.#turn++ % members.length]!.runloop.start(own);
    });
    return (await Promise.all(started)).flat();
  }

  /** There is one that is to be looked at alone. */
  async openQuarantine(): Promise<void> {
    if (this.#quarantine !== null) return this.#quarantine.runloop.poke();
    this.#quarantine = this.#newMember(true);
    try {
      await this.#quarantine.runloop.open();
    } catch (error) {
      this.#quarantine = null;
      this.#options.settings.warn("Runs in quarantine cannot be looked at", error);
    }
  }

  poke(): void {
    for (const { runloop } of this.#everyone()) runloop.poke();
  }

  /** Jobs that are claimed from now on. */
  serve(served: ReadonlyMap<string, number>): void {
    for (const { runloop } of this.#everyone()) runloop.serve(served);
  }

  /** What they have done. */
  get counted(): CountedRunloop[] {
    return this.#everyone().map(({ cells }) => cells.counters.read());
  }

  /** Under which ids they hold runs, but for the quarantine; null: one has none at the moment. */
  get owners(): (string | null)[] {
    return this.#members.map(({ cells }) => cells.owner);
  }

  /** Takes nothing new; resolves when no call runs here any more that ends with the process. */
  async drain(): Promise<void> {
    await Promise.all(this.#everyone().map(({ runloop }) => runloop.drain()));
    await this.#runner.idle();
  }

  async close(): Promise<void> {
    await Promise.all(this.#everyone().map(({ runloop }) => runloop.close()));
  }

  #newMember(alone: boolean, lease: number | null = null): Member {
    const { settings, address, blobs, served, keep } = this.#options;
    const { url, namespace, heldMax, batchMax, heldBytesMax, memoryMb, runloops, blobFolder, leases } = settings;
    const cells = new SharedCells();
    const options = {
      settings: {
        url,
        namespace,
        address,
        leaseMs: lease ?? settings.leaseMs,
        leases: { own: lease, others: leases },
        heldMax,
        batchMax,
        heldBytesMax,
        alone,
      },
      cells,
      outside: this.#outside(() => member),
      // It may not have heard of outcomes that were reported in between.
      begun: async () => this.#runner.reportAgain(member),
    };
    const runloop =
      runloops === 0
        ? new Lives({ ...options, blobs, random: Math.random })
        : new RunloopWorker({ ...options, blobFolder, memoryMb });
    const member: Member = { runloop, lease, cells };
    keep(cells);
    const jobs = served();
    if (jobs !== null) runloop.serve(jobs);
    return member;
  }

  #outside(member: () => Member): Outside {
    const { acknowledged, ended, notify, settings } = this.#options;
    const runner = this.#runner;
    return {
      dispatch: (calls) => runner.dispatch(member(), calls),
      adopt: (calls) => {
        const strangers = runner.adopt(member(), calls);
        if (strangers.length > 0) member().runloop.strangers(strangers);
      },
      abort: (calls) => runner.abort(calls),
      recall: (calls) => runner.recall(member(), calls),
      acknowledge: (calls) => {
        acknowledged(calls);
        runner.acknowledge(calls);
      },
      ended,
      notify,
      warn: settings.warn,
    };
  }

  #showRoom(): void {
    const room = shareOf(this.#runner.room, this.#members.length);
    for (const { cells, runloop } of this.#members) {
      if (typeof room === "number") cells.room = room;
      else runloop.serve(room);
    }
  }

  #everyone(): readonly Member[] {
    return this.#quarantine === null ? this.#members : [...this.#members, this.#quarantine];
  }
}
