import { errorText } from "../runloop/error-text.ts";
import type { CallOutcome, UnservedCall } from "../runloop/outside.ts";
import type { HubCall } from "./hub-call.ts";
import { canRun, segmentOf, type ServedNames, servesPrefixOf } from "./names.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Route } from "./routes.ts";

/** Workers come and go: people are told of what lasts. */
const TELL_AFTER_MS = 1_000;
/** Between two looks at the workers of other control planes. */
const LOOK_EVERY_MS = 1_000;

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
  readonly fail: (call: HubCall<Owner>, outcome: CallOutcome) => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** Owns: what becomes of calls that no worker of this control plane can run. They wait, or fail if workers should have them. */
export class Unserved<Owner> {
  readonly #options: UnservedOptions<Owner>;
  #looking = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** What was known of other control planes at the last look, by namespace. */
  readonly #elsewhere = new Map<string, readonly ServedNames[]>();

  constructor(options: UnservedOptions<Owner>) {
    this.#options = options;
  }

  tick(): void {
    const { open, graceMs } = this.#options;
    const lacking: Route<Owner>[] = [];
    for (const route of open.routes.waiting) {
      if (route.sessions.length > 0) continue;
      route.lackedSince ??= this.#options.now();
      if (this.#options.now() - route.lackedSince >= TELL_AFTER_MS) this.#tell(route);
      if (this.#options.now() - route.lackedSince >= graceMs) lacking.push(route);
    }
    const isDue = this.#options.now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (lacking.length > 0 && isDue && !this.#looking) void this.#look(lacking);
  }

  #tell(route: Route<Owner>): void {
    const { tell, workers } = this.#options;
    const { namespace, action } = route;
    const around = [...workers(namespace), ...(this.#elsewhere.get(namespace) ?? [])];
    const segment = segmentOf(action);
    const isServed = around.some((worker) => servesPrefixOf(worker, action));
    const waitingFor = isServed
      ? `a worker that has ${action}`
      : `a worker for ${segment === action ? action : `${segment}.`}`;
    const byOwner = new Map<Owner, UnservedCall[]>();
    for (const call of route.waiting) {
      if (call.told === waitingFor) continue;
      call.told = waitingFor;
      const { runId, call: id } = call.dispatch;
      const calls = byOwner.get(call.owner);
      if (calls === undefined) byOwner.set(call.owner, [{ runId, call: id, waitingFor }]);
      else calls.push({ runId, call: id, waitingFor });
    }
    for (const [owner, calls] of byOwner) tell(owner, calls);
  }

  /** Nothing fails before other control planes were asked just now. */
  async #look(lacking: readonly Route<Owner>[]): Promise<void> {
    const { workersElsewhere, workers, warn } = this.#options;
    this.#looking = true;
    this.#lookedAt = this.#options.now();
    try {
      for (const namespace of new Set(lacking.map((route) => route.namespace))) {
        const elsewhere = await workersElsewhere(namespace);
        this.#elsewhere.set(namespace, elsewhere);
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
    const { graceMs, fail, id } = this.#options;
    const { action, type, lackedSince, waiting } = route;
    if (lackedSince === null || route.sessions.length > 0) return;
    // It is connected to another control plane, and will be to this one.
    if (around.some((worker) => canRun(worker, action, type))) return void (route.lackedSince = this.#options.now());
    if (!around.some((worker) => servesPrefixOf(worker, action))) return;
    const due = Array.from(waiting).filter(({ since }) => this.#options.now() - since >= graceMs);
    for (const call of due) fail(call, noHandler(call, id));
  }
}

function noHandler<Owner>({ dispatch }: HubCall<Owner>, worker: string): CallOutcome {
  const { runId, call, attempt, action } = dispatch;
  const message = `No worker has ${action}: those that serve its prefix were started without it`;
  const value = errorText("NoHandlerRegistered", message);
  return { runId, call, attempt, kind: "error", value, retry: null, worker, durationMs: 0 };
}
