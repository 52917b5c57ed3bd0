import { isContention } from "../store/contention.ts";
import { grantCalls, type Granted, type LimitGroup } from "../store/limits.ts";
import type { Queryable } from "../store/statement.ts";
import type { Alarms } from "./alarms.ts";
import type { Timer } from "./timers.ts";

/** When others were in the way. */
const AGAIN_MS = 20;
/** In one grant: then there may be more. */
const GRANTED_MAX = 1_000;

export interface GrantingEvents {
  /** It is the turn of these calls, of runs that this owner held. */
  granted(calls: Granted["mine"]): void;
  /** Runs of others were sent letters. */
  lettersSent(): void;
  failed(error: unknown): void;
}

/**
 * Owns: which groups of limited calls are to be looked at, since calls of them wait or have ended, and when those are that wait
 * for a rate. Group after group, in transactions of their own, after the commits that made it necessary: if this is lost,
 * keepers look at all groups with calls that wait.
 */
export class Granting {
  readonly #client: Queryable;
  readonly #owner: string;
  readonly #alarms: Alarms;
  readonly #now: () => number;
  readonly #events: GrantingEvents;
  readonly #wanted = new Map<string, LimitGroup>();
  readonly #later = new Map<string, { readonly at: number; readonly timer: Timer }>();
  #busy = false;
  #stopped = false;

  constructor(client: Queryable, owner: string, alarms: Alarms, now: () => number, events: GrantingEvents) {
    this.#client = client;
    this.#owner = owner;
    this.#alarms = alarms;
    this.#now = now;
    this.#events = events;
  }

  ask(groups: readonly LimitGroup[]): void {
    for (const group of groups) this.#wanted.set(idOf(group), group);
    if (!this.#busy && this.#wanted.size > 0) void this.#loop();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #loop(): Promise<void> {
    this.#busy = true;
    try {
      for (const [id, group] of this.#wanted) {
        if (this.#stopped) break;
        this.#wanted.delete(id);
        await this.#grant(id, group);
      }
    } catch (error) {
      this.#events.failed(error);
    } finally {
      this.#busy = false;
    }
  }

  async #grant(id: string, group: LimitGroup): Promise<void> {
    let granted: Granted;
    try {
      granted = await grantCalls(this.#client, this.#owner, group);
    } catch (error) {
      if (!isContention(error)) throw error;
      return this.#lookAt(id, group, this.#now() + AGAIN_MS);
    }
    if (this.#stopped) return;
    if (granted.mine.length > 0) this.#events.granted(granted.mine);
    if (granted.lettersSent) this.#events.lettersSent();
    if (granted.count >= GRANTED_MAX) this.#wanted.set(id, group);
    else if (granted.nextAt !== null) this.#lookAt(id, group, granted.nextAt);
  }

  #lookAt(id: string, group: LimitGroup, at: number): void {
    const planned = this.#later.get(id);
    if (planned !== undefined && planned.at <= at) return;
    planned?.timer.cancel();
    const timer = this.#alarms.set(at, () => {
      this.#later.delete(id);
      this.ask([group]);
    });
    this.#later.set(id, { at, timer });
  }
}

function idOf({ namespace, action, key }: LimitGroup): string {
  return JSON.stringify([namespace, action, key]);
}
