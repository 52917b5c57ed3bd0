import type { HubCall } from "./hub-call.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { WorkerSession } from "./worker-session.ts";

/** A worker whose stream broke may be back within this time; when it is, it has as long again to say what it has. */
const BACK_WITHIN_MS = 1_000;
/** So long workers have to claim calls of a run that was taken over. */
const CLAIM_WITHIN_MS = 5_000;
/** So long a call that was never sent is kept for whoever takes its run over here. */
const ORPHAN_MS = 60_000;

export interface MissingOptions<Owner> {
  readonly now: () => number;
  readonly open: OpenCalls<Owner>;
  readonly lose: (calls: readonly HubCall<Owner>[]) => void;
}

interface Absence<Owner> {
  until: number;
  readonly calls: Set<HubCall<Owner>>;
}

/** Owns: calls of which nobody here knows who has them, and until when that is waited for. */
export class Missing<Owner> {
  readonly #options: MissingOptions<Owner>;
  /** By worker. */
  readonly #absent = new Map<string, Absence<Owner>>();
  /** In the order they came: the first is due first. */
  readonly #unclaimed = new Set<HubCall<Owner>>();
  readonly #orphans = new Set<HubCall<Owner>>();

  constructor(options: MissingOptions<Owner>) {
    this.#options = options;
  }

  claim(call: HubCall<Owner>): void {
    this.#unclaimed.add(call);
  }

  orphan(call: HubCall<Owner>): void {
    this.#options.open.orphan(call);
    this.#orphans.add(call);
  }

  /** A stream has broken. */
  left({ key, calls }: WorkerSession<Owner>): void {
    if (calls.size === 0) return;
    const { open } = this.#options;
    const former = this.#absent.get(key)?.calls ?? [];
    const missed = new Set([...former, ...calls]);
    for (const call of calls) open.miss(call);
    this.#absent.set(key, { until: this.#options.now() + BACK_WITHIN_MS, calls: missed });
  }

  isBack({ key }: WorkerSession<Owner>): void {
    const absence = this.#absent.get(key);
    if (absence !== undefined) absence.until = this.#options.now() + BACK_WITHIN_MS;
  }

  /** A worker has said all that it has: what it had before and does not name is lost. */
  hasListed({ key }: WorkerSession<Owner>, listed: ReadonlySet<string>): void {
    const absence = this.#absent.get(key);
    if (absence === undefined) return;
    this.#absent.delete(key);
    this.#lose(
      [...absence.calls].filter((call) => !listed.has(`${call.key}/${call.dispatch.attempt}`)),
      "absent",
    );
  }

  tick(): void {
    const now = this.#options.now();
    for (const [key, { until, calls }] of this.#absent) {
      if (until > now) continue;
      this.#absent.delete(key);
      this.#lose(calls, "absent");
    }
    this.#lose(expired(this.#unclaimed, "unclaimed", now - CLAIM_WITHIN_MS), "unclaimed");
    for (const call of expired(this.#orphans, "orphan", now - ORPHAN_MS)) this.#options.open.remove(call);
  }

  /** Those that are still missing. */
  #lose(calls: Iterable<HubCall<Owner>>, state: HubCall<Owner>["state"]): void {
    const { open, lose } = this.#options;
    const lost = [...calls].filter((call) => open.has(call) && call.state === state);
    if (lost.length > 0) lose(lost);
  }
}

/** Takes those out that came into the state long enough ago, or are no longer in it. */
function expired<Owner>(calls: Set<HubCall<Owner>>, state: HubCall<Owner>["state"], before: number): HubCall<Owner>[] {
  const taken: HubCall<Owner>[] = [];
  for (const call of calls) {
    if (call.state === state && call.since > before) break;
    calls.delete(call);
    if (call.state === state) taken.push(call);
  }
  return taken;
}
