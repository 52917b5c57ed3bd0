import type { Dispatch } from "../runloop/outside.ts";
import type { HubCall } from "./hub-call.ts";
import { canRun, segmentOf } from "./names.ts";
import { WaitingCalls } from "./waiting-calls.ts";
import type { WorkerSession } from "./worker-session.ts";

/** One in so many calls is taken by age alone: nothing waits for ever behind higher priorities. */
const BY_AGE_EVERY = 10;
/** Routes that nothing waits on are forgotten when there are so many. */
const ROUTES_MAX = 10_000;

/** Jobs of a segment that wait for a thread: with so many, none is claimed, of those that need none neither. */
const CROWD_MAX = 500;

/** Calls of one action, and the workers that can run it. */
export interface Route<Owner> {
  readonly key: string;
  readonly namespace: string;
  readonly action: string;
  /** Of the run whose step it is; of other actions, empty. */
  readonly type: string;
  readonly waiting: WaitingCalls<HubCall<Owner>>;
  readonly sessions: WorkerSession<Owner>[];
  /** Whose turn it is. */
  cursor: number;
  /** The turn of credits in which no session had one; see `Routes`. */
  dryIn: number;
  /** Since when no worker here can run it, as far as anyone has looked. */
  lackedSince: number | null;
}

/** How many of its calls the workers run at one time, whatever credit they have: of those that need a thread, a few. */
function threadsOf<Owner>({ sessions, action }: Route<Owner>): number {
  return sessions.reduce((threads, session) => threads + session.threadsFor(action), 0);
}

/**
 * Owns: which workers can run which calls, and which calls wait for them.
 *
 * A call waits only if no worker that can run it has free credit, and a free thread if it needs one: a worker that gets credit is
 * fed until it has none left, or nothing waits for it.
 */
export class Routes<Owner> {
  readonly #routes = new Map<string, Route<Owner>>();
  /** Those that something waits on. */
  readonly #waiting = new Set<Route<Owner>>();
  readonly #sessions = new Set<WorkerSession<Owner>>();
  /** Counts how often a worker was left with credit: a route without any need not be looked at again before. */
  #creditTurn = 0;
  #takes = 0;
  #lastTurn = 0;

  get waiting(): ReadonlySet<Route<Owner>> {
    return this.#waiting;
  }

  addSession(session: WorkerSession<Owner>): void {
    this.#sessions.add(session);
    for (const route of this.#routes.values()) {
      if (!isFor(route, session)) continue;
      route.sessions.push(session);
      route.lackedSince = null;
    }
  }

  removeSession(session: WorkerSession<Owner>): void {
    this.#sessions.delete(session);
    for (const { sessions } of this.#routes.values()) {
      const index = sessions.indexOf(session);
      if (index !== -1) sessions.splice(index, 1);
    }
  }

  /** A worker with free credit for the call; else it waits. */
  place(call: HubCall<Owner>): WorkerSession<Owner> | null {
    const route = this.#routeOf(call.dispatch);
    const session = route.dryIn === this.#creditTurn ? null : this.#pick(route, call.dispatch);
    if (session !== null) return session;
    route.dryIn = this.#creditTurn;
    call.turn = ++this.#lastTurn;
    route.waiting.add(call);
    this.#waiting.add(route);
    return null;
  }

  /** It waits no longer. */
  remove(call: HubCall<Owner>): void {
    const route = this.#routes.get(routeKey(call.dispatch));
    if (route === undefined) return;
    route.waiting.remove(call);
    if (route.waiting.size === 0) this.#waiting.delete(route);
  }

  /** The next of the waiting calls that this worker can run. */
  next(session: WorkerSession<Owner>): HubCall<Owner> | null {
    const byAge = ++this.#takes % BY_AGE_EVERY === 0;
    let best: HubCall<Owner> | null = null;
    for (const route of this.#waiting) {
      if (!isFor(route, session) || session.roomFor(route.action) === 0) continue;
      const head = route.waiting.head(byAge)!;
      if (best === null || comesBefore(head, best, byAge)) best = head;
    }
    if (best === null) this.#creditTurn += 1;
    else this.remove(best);
    return best;
  }

  /** What waits here for a worker. */
  backlogOf(session: WorkerSession<Owner>): number {
    let calls = 0;
    for (const route of this.#waiting) {
      if (isFor(route, session)) calls += Math.min(route.waiting.size, session.roomFor(route.action));
    }
    return calls;
  }

  /**
   * For jobs, by what workers serve: as many again as they may run here, as in a process with actions of its own, less what
   * waits for them already. Of what waits for a thread, no more counts than there are threads: the rest would keep those waiting
   * that need none, until there are too many of them. A worker that has moved all its credits elsewhere counts for one: so it is
   * seen that something waits here.
   */
  get room(): Map<string, number> {
    const rooms = new Map<string, number>();
    for (const session of this.#sessions) {
      if (session.draining) continue;
      const granted = session.calls.size + session.free;
      const room = Math.max(1, 2 * granted) - session.calls.size;
      for (const entry of session.rooms) rooms.set(entry, (rooms.get(entry) ?? 0) + room);
    }
    // Who serves everything serves each segment that others name.
    for (const [entry, room] of rooms) {
      const all = entry.endsWith(":") ? undefined : rooms.get(entry.slice(0, entry.indexOf(":") + 1));
      if (all !== undefined) rooms.set(entry, room + all);
    }
    const crowds = new Map<string, number>();
    for (const route of this.#waiting) {
      const { namespace, action, waiting, sessions } = route;
      if (sessions.length === 0) continue;
      const named = `${namespace}:${segmentOf(action)}`;
      const entry = rooms.has(named) ? named : `${namespace}:`;
      const room = rooms.get(entry);
      if (room === undefined) continue;
      const threads = threadsOf(route);
      const crowd = (crowds.get(entry) ?? 0) + Math.max(0, waiting.jobs - threads);
      crowds.set(entry, crowd);
      rooms.set(entry, crowd >= CROWD_MAX ? 0 : Math.max(0, room - Math.min(waiting.size, threads)));
    }
    return rooms;
  }

  #routeOf(dispatch: Dispatch): Route<Owner> {
    const key = routeKey(dispatch);
    let route = this.#routes.get(key);
    if (route === undefined) {
      if (this.#routes.size >= ROUTES_MAX) this.#forget();
      const { namespace, action, type } = dispatch;
      route = {
        key,
        namespace,
        action,
        type: action.startsWith(`${type}/`) ? type : "",
        waiting: new WaitingCalls(),
        sessions: [],
        cursor: 0,
        dryIn: -1,
        lackedSince: null,
      };
      for (const session of this.#sessions) if (isFor(route, session)) route.sessions.push(session);
      this.#routes.set(key, route);
    }
    return route;
  }

  #forget(): void {
    for (const [key, { waiting }] of this.#routes) if (waiting.size === 0) this.#routes.delete(key);
  }

  /** In turns; the steps of a workflow where its version is, if that is possible. */
  #pick(route: Route<Owner>, { type, version }: Dispatch): WorkerSession<Owner> | null {
    const { sessions } = route;
    let other: WorkerSession<Owner> | null = null;
    for (let count = 0; count < sessions.length; count++) {
      route.cursor = (route.cursor + 1) % sessions.length;
      const session = sessions[route.cursor]!;
      if (session.free === 0 || session.roomFor(route.action) === 0) continue;
      if (route.type === "" || session.hasVersion(type, version)) return session;
      other ??= session;
    }
    return other;
  }
}

/** A step is found by its workflow, another action by its name alone. */
function routeKey({ namespace, action, type }: Dispatch): string {
  return `${namespace}/${action.startsWith(`${type}/`) ? type : ""}/${action}`;
}

function isFor<Owner>({ namespace, action, type }: Route<Owner>, session: WorkerSession<Owner>): boolean {
  return session.hello.namespace === namespace && canRun(session, action, type);
}

/** Higher priorities first, unless it goes by age alone. */
function comesBefore<Owner>(one: HubCall<Owner>, other: HubCall<Owner>, byAge: boolean): boolean {
  const priority = one.dispatch.priority - other.dispatch.priority;
  return !byAge && priority !== 0 ? priority > 0 : one.turn < other.turn;
}
