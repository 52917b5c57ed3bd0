import { livingApiKeys } from "../store/api-keys.ts";
import { livingSessions } from "../store/sessions.ts";
import type { Queryable } from "../store/statement.ts";
import { Refused } from "../hub/refused.ts";
import type { Warn } from "../warn.ts";
import type { Caller } from "./caller.ts";

interface Watched {
  readonly caller: Caller;
  readonly end: (why: Refused) => void;
}

/** How often it is looked whether the keys of those who have streams are still good. */
const LOOK_EVERY_MS = 2_000;

/**
 * Those who stay: whose streams end with their keys and sessions.
 *
 * Owns: who is watched, and a timer while there is anyone. One statement looks for all of them, however many streams there are.
 * A database that cannot be reached ends nobody.
 */
export class WatchedCallers {
  readonly #client: Queryable;
  readonly #warn: Warn;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(client: Queryable, warn: Warn) {
    this.#client = client;
    this.#warn = warn;
  }

  /** Calls `end` once, when the key or the session is over; not after the function that is returned was called. */
  watch(caller: Caller, end: (why: Refused) => void): () => void {
    if (caller.keyId === undefined && caller.session === undefined) return () => {};
    const watched = { caller, end };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
    return () => this.#leave(watched);
  }

  /** Those of whom it is known. */
  end(isOver: (caller: Caller) => boolean): void {
    for (const watched of this.#watched) {
      if (!isOver(watched.caller)) continue;
      this.#leave(watched);
      const { keyId, name } = watched.caller;
      watched.end(new Refused("Unauthenticated", `${name} ${keyId === undefined ? "has logged out" : "is over"}`));
    }
  }

  close(): void {
    this.#watched.clear();
    this.#stop();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const callers = [...this.#watched].map(({ caller }) => caller);
      const keys = await known(callers, "keyId", (ids) => livingApiKeys(this.#client, ids));
      const sessions = await known(callers, "session", (hashes) => livingSessions(this.#client, hashes));
      // Who came meanwhile was not asked for.
      const asked = new Set(callers);
      this.end((caller) => asked.has(caller) && !(keys(caller) && sessions(caller)));
    } catch (error) {
      this.#warn("It could not be looked whether keys are still good", error);
    }
    this.#looking = false;
  }

  #leave(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size === 0) this.#stop();
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Whether what a caller has of this lives; if it has none, nothing of it can be over. */
async function known(
  callers: readonly Caller[],
  what: "keyId" | "session",
  living: (names: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<(caller: Caller) => boolean> {
  const names = new Set(callers.flatMap((caller) => caller[what] ?? []));
  if (names.size === 0) return () => true;
  const found = await living([...names]);
  return (caller) => caller[what] === undefined || found.has(caller[what]);
}
