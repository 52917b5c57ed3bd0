import type { ClaimedRun } from "../store/claim-runs.ts";
import { Claims } from "./claims.ts";
import { type HeldRun, RUN_BYTES } from "./held-run.ts";
import type { Memory } from "./memory.ts";
import { namespaceOfPool, needsWorker, ROOM_OF_ALL, servedAs, type ServedLeases, servesLease } from "./pools.ts";
import type { SharedCells } from "./shared-cells.ts";
import { type SaidRoom, TakenRoom } from "./taken-room.ts";
import type { Queryable } from "../store/statement.ts";

export interface ClaimingOptions {
  readonly owner: string;
  /** Whose runs are claimed; null: everyone's. */
  readonly namespace: string | null;
  readonly leases: ServedLeases;
  readonly control: Queryable;
  readonly heldMax: number;
  /** Of the runs that are held. */
  readonly memory: Memory;
  /** In quarantine: one run at a time, of those that were taken over again and again. */
  readonly alone: boolean;
  /** Says how much room there is at the workers. */
  readonly cells: SharedCells;
}

/** A run that did not fit may have gone elsewhere: then another one is looked for. */
const WANTED_FOR_MS = 1_000;

/** Of the room that jobs of all pools share. */
const OF_ALL = "";

/** Owns: how much room there is, and the looking for runs to fill it. */
export class Claiming {
  readonly #options: ClaimingOptions;
  readonly #held: ReadonlyMap<string, HeldRun>;
  readonly #take: (claimed: readonly ClaimedRun[]) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #claims = new Claims(() => performance.now());
  /** Room of children that are being committed. */
  #reserved = 0;
  #busy = false;
  #again = false;
  /** There may be work that there was no room for. */
  #short = false;
  /** What the run that comes next takes: smaller ones that come later do not overtake it for ever. */
  #wanted = 0;
  #wantedUntil = 0;
  #stopped = false;
  /** What workers could take, by what they serve; null: all, as `cells.room` says. */
  #served: ReadonlyMap<string, number> | null = null;
  #servedTurn = 0;
  readonly #taken = new TakenRoom(() => performance.now());
  /** What there were jobs for, or may have been, and no room. */
  readonly #shortOf = new Set<string>();

  constructor(
    options: ClaimingOptions,
    held: ReadonlyMap<string, HeldRun>,
    take: (claimed: readonly ClaimedRun[]) => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#held = held;
    this.#take = take;
    this.#failed = failed;
  }

  get room(): number {
    const { heldMax, memory } = this.#options;
    return this.#stopped || memory.free === 0 ? 0 : heldMax - this.#held.size - this.#reserved;
  }

  /** Whether runs wait for memory: then whoever can leave it does so. */
  get isPressed(): boolean {
    return this.#wanted > 0 || this.#options.memory.free === 0;
  }

  /** Whether there is room for this many that are started here. */
  hasRoomFor(count: number, bytes = 0): boolean {
    const { alone, memory } = this.#options;
    if (alone || this.#wanted > 0) return false;
    return this.room >= count && memory.free >= bytes + count * RUN_BYTES;
  }

  /** Whether workers could take these, which are started here, and are claimed by that. */
  takes(pools: readonly string[]): boolean {
    const counts = new Map<string, number>();
    for (const pool of pools) counts.set(pool, (counts.get(pool) ?? 0) + 1);
    if ([...counts].some(([pool, count]) => this.#serves(pool) < count)) return false;
    for (const [pool, count] of counts) this.#took(pool, count);
    return true;
  }

  /** For a child whose pool this is. */
  reserve(pool: string): boolean {
    if (!this.hasRoomFor(1) || !servesLease(this.#options.leases, pool) || !this.takes([pool])) return false;
    this.#reserved += 1;
    return true;
  }

  unreserve(count: number): void {
    this.#reserved -= count;
  }

  /** A run was claimed and given back: there is no room for so many stored bytes. */
  want(bytes: number): void {
    this.#wanted = bytes;
    this.#wantedUntil = performance.now() + WANTED_FOR_MS;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What the workers could take, by what they serve. */
  serve(room: ReadonlyMap<string, number>): void {
    const former = this.#served;
    const isNew = ([served, count]: [string, number]): boolean =>
      count > 0 && this.#taken.left({ whose: served, count: former?.get(served) ?? 0, turn: this.#servedTurn }) <= 0;
    const hasNew = [...room].some(isNew);
    this.#served = new Map(room);
    this.#servedTurn += 1;
    if (hasNew) this.look();
  }

  /** There may be work. */
  look(): void {
    this.#again = true;
    if (!this.#busy && !this.#stopped) void this.#loop();
  }

  /** There may be room again. */
  roomChanged(): void {
    const isShort = this.#short || (this.#shortOf.has(OF_ALL) && this.#taken.left(this.#roomOfAll) > 0);
    if (isShort && this.room > 0 && this.#hasWanted) this.look();
  }

  async #loop(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#again && !this.#stopped) {
        if (performance.now() > this.#wantedUntil) this.#wanted = 0;
        this.#short = this.room <= 0 || !this.#hasWanted;
        if (this.#short) break;
        this.#again = false;
        this.#shortOf.clear();
        const before = performance.now();
        const claimed = await this.#claim();
        this.#options.cells.counters.observe("claimMs", performance.now() - before);
        this.#wanted = 0;
        if (claimed.length === 0) continue;
        await this.#take(claimed);
        this.#again = true;
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#busy = false;
    }
  }

  get #hasWanted(): boolean {
    return this.#options.memory.fits(this.#wanted);
  }

  #claim(): Promise<ClaimedRun[]> {
    const { control, owner, alone, namespace, memory } = this.#options;
    const count = Math.min(this.room, memory.usuallyFits);
    const serves = (pool: string): number => this.#serves(pool);
    const took = (pool: string, taken: number): void => this.#took(pool, taken);
    if (!alone) return this.#claims.take(control, owner, count, serves, took);
    if (this.#held.size > 0) return Promise.resolve([]);
    const served = this.#served === null ? null : [...this.#served.keys()];
    return this.#claims.takeQuarantined(control, owner, namespace, served);
  }

  /** How many runs of a pool there is room for. */
  #serves(pool: string): number {
    const { namespace, leases, heldMax } = this.#options;
    if (namespace !== null && namespaceOfPool(pool) !== namespace) return 0;
    if (!servesLease(leases, pool)) return 0;
    if (!needsWorker(pool)) return this.#served?.get(servedAs(pool)) ?? heldMax;
    const said = this.#roomOf(pool);
    const left = this.#taken.left(said);
    if (left <= 0) this.#shortOf.add(said.whose);
    return left;
  }

  /** A run of this pool has no call to make, or none yet. */
  giveBack(pool: string): void {
    if (!needsWorker(pool)) return;
    const said = this.#roomOf(pool);
    this.#taken.giveBack(said);
    if (this.#shortOf.has(said.whose)) this.look();
  }

  /** The call of a run of this pool is sent. */
  called(pool: string): void {
    if (needsWorker(pool)) this.#taken.send(this.#roomOf(pool));
  }

  /** What was said of the room for jobs of a pool, and perhaps of others. */
  #roomOf(pool: string): SaidRoom {
    const exact = servedAs(pool);
    const whose = this.#served?.has(exact) === true ? exact : `${namespaceOfPool(pool)}:`;
    const count = this.#served === null ? ROOM_OF_ALL : (this.#served.get(whose) ?? 0);
    return count === ROOM_OF_ALL ? this.#roomOfAll : { whose, count, turn: this.#servedTurn };
  }

  get #roomOfAll(): SaidRoom {
    const { cells } = this.#options;
    // Read first: if it changes in between, what is claimed counts for less long.
    const turn = cells.roomTurn;
    return { whose: OF_ALL, count: cells.room, turn };
  }

  /** Until their calls are sent, and it is said anew what workers could take, it is less by that. */
  #took(pool: string, count: number): void {
    if (!needsWorker(pool) || count === 0) return;
    this.#taken.take(this.#roomOf(pool), count);
  }
}
