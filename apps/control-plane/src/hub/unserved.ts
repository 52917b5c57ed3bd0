import { errorText } from "../runloop/error-text.ts";
import type { CallOutcome, UnservedCall } from "../runloop/outside.ts";
import type { HubCall } from "./hub-call.ts";
import { canRun, segmentOf, type ServedNames, servesPrefixOf } from "./names.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Route } from "./routes.ts";
import type { Warn } from "../warn.ts";

/** Workers come and go: what lasts no longer is waited for here, and nobody is told. */
const WAIT_MS = 1_000;
/** Between two looks at the workers of other control planes. */
const LOOK_EVERY_MS = 1_000;
/** Longer than a run lingers in memory: it parks, and whoever has the worker may claim it. */
const AGAIN_MIN_MS = 1_500;
/** When nobody has one, it is asked again after a quarter of the time that this has lasted. */
const AGAIN_PART = 1 / 4;
const AGAIN_MAX_MS = 30_000;

export interface UnservedOptions<Owner> {
  /** Of this control plane, for people. */
  readonly id: string;
  readonly now: () => number;
  /** How long all workers that serve a name must have lacked it. */
  readonly graceMs: number;
  readonly open: OpenCalls<Owner>;
  /** Of this control plane. */
  readonly workers: (namespace: string) => readonly ServedNames[];
  /** Of the others. */
  readonly workersElsewhere: (namespace: string) => Promise<readonly ServedNames[]>;
  readonly tell: (owner: Owner, calls: readonly UnservedCall[]) => void;
  /** Workers of other control planes have what was asked for here. */
  readonly leaveToOthers: (namespace: string) => void;
  readonly fail: (call: HubCall<Owner>, outcome: CallOutcome) => void;
  readonly warn: Warn;
}

/**
 * Owns: what becomes of calls that no worker of this control plane can run. They fail if workers should have them and do not;
 * else they are given back: their runs park, so that nobody is kept waiting by them, and ask again later.
 */
export class Unserved<Owner> {
  readonly #options: UnservedOptions<Owner>;
  #looking = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnservedOptions<Owner>) {
    this.#options = options;
  }

  tick(): void {
    const { open, graceMs } = this.#options;
    const now = this.#options.now();
    const lacking: Route<Owner>[] = [];
    for (const route of open.routes.waiting) {
      if (route.sessions.length > 0) continue;
      route.lackedSince ??= now;
      if (now - route.lackedSince >= Math.min(WAIT_MS, graceMs)) lacking.push(route);
    }
    const isDue = now - this.#lookedAt >= LOOK_EVERY_MS;
    if (lacking.length > 0 && isDue && !this.#looking) void this.#look(lacking);
  }

  /** Nothing fails before other control planes were asked just now. */
  async #look(lacking: readonly Route<Owner>[]): Promise<void> {
    const { workersElsewhere, workers, warn } = this.#options;
    this.#looking = true;
    this.#lookedAt = this.#options.now();
    try {
      for (const namespace of new Set(lacking.map((route) => route.namespace))) {
        const elsewhere = await workersElsewhere(namespace);
        const around = [...workers(namespace), ...elsewhere];
        for (const route of lacking) if (route.namespace === namespace) this.#judge(route, around);
      }
    } catch (error) {
      warn("The workers of other control planes cannot be looked at", error);
    } finally {
      this.#looking = false;
    }
  }

  #judge(route: Route<Owner>, around: readonly ServedNames[]): void {
    const { graceMs, fail, id, leaveToOthers } = this.#options;
    const { namespace, action, type, lackedSince, waiting } = route;
    if (lackedSince === null || route.sessions.length > 0) return;
    const now = this.#options.now();
    const lasts = now - lackedSince >= WAIT_MS;
    if (around.some((worker) => canRun(worker, action, type))) {
      if (!lasts) return;
      leaveToOthers(namespace);
      return this.#tell(route, `a worker that has ${action}`, AGAIN_MIN_MS);
    }
    if (around.some((worker) => servesPrefixOf(worker, action))) {
      const due = Array.from(waiting).filter(({ since }) => now - since >= graceMs);
      for (const call of due) fail(call, noHandler(call, id));
      if (lasts) this.#tell(route, `a worker that has ${action}`);
      return;
    }
    const segment = segmentOf(action);
    const againInMs = Math.min(AGAIN_MAX_MS, Math.max(AGAIN_MIN_MS, AGAIN_PART * (now - lackedSince)));
    if (lasts) this.#tell(route, `a worker for ${segment === action ? action : `${segment}.`}`, againInMs);
  }

  /** What its calls wait for; with a time, they are given back. */
  #tell(route: Route<Owner>, waitingFor: string, againInMs?: number): void {
    const { open, tell } = this.#options;
    const byOwner = new Map<Owner, UnservedCall[]>();
    const waiting = Array.from(route.waiting);
    for (const call of waiting) {
      if (againInMs !== undefined) open.remove(call);
      else if (call.told === waitingFor) continue;
      call.told = waitingFor;
      const { runId, call: id, attempt } = call.dispatch;
      const told = { runId, call: id, attempt, waitingFor, ...(againInMs === undefined ? {} : { againInMs }) };
      const calls = byOwner.get(call.owner);
      if (calls === undefined) byOwner.set(call.owner, [told]);
      else calls.push(told);
    }
    for (const [owner, calls] of byOwner) tell(owner, calls);
  }
}

function noHandler<Owner>({ dispatch }: HubCall<Owner>, worker: string): CallOutcome {
  const { incarnation, runId, call, attempt, action } = dispatch;
  const message = `No worker has ${action}: those that serve its prefix were started without it`;
  const value = errorText("NoHandlerRegistered", message);
  return { incarnation, runId, call, attempt, kind: "error", value, retry: null, worker, durationMs: 0 };
}
