import type { UnservedCall } from "../runloop/outside.ts";
import type { OpenCalls } from "./open-calls.ts";
import { comesBefore, type Route, threadsOf } from "./routes.ts";
import { isJob } from "./waiting-calls.ts";

/** So long it is watched how many begin. */
const WATCHED_MIN_MS = 250;
/** Then the first half of that is forgotten. */
const WATCHED_MAX_MS = 20_000;
/** Longer than a run lingers in memory: it parks. */
const AGAIN_MIN_MS = 1_500;
const AGAIN_MAX_MS = 30_000;
/** What begins within this time stays: whatever is given back comes before that is over. */
const KEPT_MS = 2 * AGAIN_MIN_MS;

export interface ThreadCrowdsOptions<Owner> {
  readonly now: () => number;
  readonly open: OpenCalls<Owner>;
  readonly tell: (owner: Owner, calls: readonly UnservedCall[]) => void;
}

/** Since when it is watched how many calls of an action begin, and how many had before. */
interface Watch {
  readonly since: number;
  readonly sent: number;
}

/**
 * Owns: what becomes of jobs that wait for a thread. Those that will not begin soon are given back, since claims take jobs of a
 * segment as they come: it is not known before whose turn needs a thread, and a worker with free places would get nothing
 * else. They ask again when it may be their turn, by how many have begun of late. Calls of workflows stay: no room is claimed for them.
 */
export class ThreadCrowds<Owner> {
  readonly #options: ThreadCrowdsOptions<Owner>;
  readonly #watches = new Map<Route<Owner>, Watch>();

  constructor(options: ThreadCrowdsOptions<Owner>) {
    this.#options = options;
  }

  tick(): void {
    const { waiting } = this.#options.open.routes;
    for (const route of this.#watches.keys()) if (!waiting.has(route)) this.#watches.delete(route);
    for (const route of waiting) {
      const threads = threadsOf(route);
      if (route.sessions.length > 0 && route.waiting.jobs > threads) this.#thin(route, threads);
    }
  }

  #thin(route: Route<Owner>, threads: number): void {
    const { since, sent } = this.#watchOf(route);
    const watchedMs = this.#options.now() - since;
    if (watchedMs < WATCHED_MIN_MS) return;
    // One more: that none has begun does not mean that none ever will.
    const perMs = (route.sent - sent + 1) / watchedMs;
    const kept = Math.max(threads, Math.ceil(perMs * KEPT_MS));
    if (route.waiting.jobs <= kept) return;
    const jobs = Array.from(route.waiting).filter(isJob);
    const surplus = jobs.toSorted((one, other) => (comesBefore(one, other, false) ? -1 : 1)).slice(kept);
    const waitingFor = `a worker that has ${route.action} and a free thread`;
    const byOwner = new Map<Owner, UnservedCall[]>();
    for (const [index, call] of surplus.entries()) {
      this.#options.open.remove(call);
      const { runId, call: id, attempt } = call.dispatch;
      const againInMs = Math.min(AGAIN_MAX_MS, Math.round(AGAIN_MIN_MS + index / perMs));
      const told = { runId, call: id, attempt, waitingFor, againInMs };
      const calls = byOwner.get(call.owner);
      if (calls === undefined) byOwner.set(call.owner, [told]);
      else calls.push(told);
    }
    for (const [owner, calls] of byOwner) this.#options.tell(owner, calls);
  }

  #watchOf(route: Route<Owner>): Watch {
    const now = this.#options.now();
    const known = this.#watches.get(route) ?? { since: now, sent: route.sent };
    const isLong = now - known.since > WATCHED_MAX_MS;
    const watch = isLong ? { since: (known.since + now) / 2, sent: (known.sent + route.sent) / 2 } : known;
    this.#watches.set(route, watch);
    return watch;
  }
}
