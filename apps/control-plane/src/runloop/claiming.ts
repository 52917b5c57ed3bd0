import type { ClaimedRun } from "../store/claim-runs.ts";
import { Claims } from "./claims.ts";
import type { HeldRun } from "./held-run.ts";
import { namespaceOfPool, needsWorker } from "./pools.ts";
import type { SharedCells } from "./shared-cells.ts";
import type { Queryable } from "../store/statement.ts";

export interface ClaimingOptions {
  readonly owner: string;
  /** Whose runs are claimed; null: everyone's. */
  readonly namespace: string | null;
  readonly control: Queryable;
  readonly heldMax: number;
  /** In quarantine: one run at a time, of those that were taken over again and again. */
  readonly alone: boolean;
  /** Says how much room there is at the workers. */
  readonly cells: SharedCells;
}

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
  #stopped = false;

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
    return this.#stopped ? 0 : this.#options.heldMax - this.#held.size - this.#reserved;
  }

  /** Whether there is room for this many that are started here. */
  hasRoomFor(count: number): boolean {
    return !this.#options.alone && this.room >= count;
  }

  reserve(): boolean {
    if (!this.hasRoomFor(1)) return false;
    this.#reserved += 1;
    return true;
  }

  unreserve(count: number): void {
    this.#reserved -= count;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** There may be work. */
  look(): void {
    this.#again = true;
    if (!this.#busy && !this.#stopped) void this.#loop();
  }

  /** There may be room again. */
  roomChanged(): void {
    if (this.#short && this.room > 0) this.look();
  }

  async #loop(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#again && !this.#stopped) {
        this.#short = this.room <= 0;
        if (this.#short) break;
        this.#again = false;
        const claimed = await this.#claim();
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

  #claim(): Promise<ClaimedRun[]> {
    const { control, owner, alone, namespace } = this.#options;
    if (!alone) return this.#claims.take(control, owner, this.room, (pool) => this.#serves(pool));
    return this.#held.size > 0 ? Promise.resolve([]) : this.#claims.takeQuarantined(control, owner, namespace);
  }

  /** How many runs of a pool there is room for. */
  #serves(pool: string): number {
    const { namespace, cells, heldMax } = this.#options;
    if (namespace !== null && namespaceOfPool(pool) !== namespace) return 0;
    return needsWorker(pool) ? cells.room : heldMax;
  }
}
