import { isReference } from "../blobs/reference.ts";
import {
  failedTries,
  followedInputs,
  type FollowedInput,
  followedStates,
  type FollowedState,
  type FollowedTry,
  lastInputs,
  liveRuns,
  newRuns,
} from "../store/follow-runs.ts";
import type { Queryable } from "../store/statement.ts";

/** Something that a run did. Values are encoded, and null if they are long. */
export type RunNews = { readonly runId: string; readonly type: string } & (
  | { readonly kind: "started"; readonly value: string | null }
  /** It was under way before anyone looked. */
  | { readonly kind: "found" }
  | {
      readonly kind: "step";
      readonly node: string;
      /** Of an action or a signal; null for sleeps and children. */
      readonly name: string | null;
      readonly outcome: "succeeded" | "failed" | "elapsed" | "signalled" | "cancelled" | "again";
      readonly value: string | null;
      readonly attempt: number;
      readonly tookMs: number | null;
    }
  | {
      readonly kind: "try";
      readonly node: string;
      readonly name: string;
      readonly outcome: "failed" | "lost";
      readonly value: string | null;
      readonly attempt: number;
      readonly retryAt: number | null;
    }
  | {
      readonly kind: "waits";
      readonly phase: string;
      readonly waitingFor: string | null;
      readonly until: number | null;
    }
  | { readonly kind: "ended"; readonly status: "succeeded" | "failed" | "cancelled"; readonly value: string | null }
);

const LOOK_EVERY_MS = 100;
/** The newest ones: it is for people. */
const RUNS_MAX = 1_000;

interface Followed {
  seen: number;
  readonly tries: Set<string>;
  waits: string;
  isTold: boolean;
}

/**
 * Tells what runs do, soon after it is durable, whoever does it: for people who watch a process while they write their code.
 *
 * Owns: which runs it follows, and how much of each it has told.
 */
export class RunFeed {
  readonly #client: Queryable;
  readonly #tell: (news: RunNews) => void;
  readonly #followed = new Map<string, Followed>();
  /** Runs that have ended: their ids are new for a while. */
  readonly #over = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(client: Queryable, tell: (news: RunNews) => void) {
    this.#client = client;
    this.#tell = tell;
  }

  /** What was before is not told. */
  async open(): Promise<void> {
    for (const id of await newRuns(this.#client, RUNS_MAX)) this.#over.add(id);
    const live = await liveRuns(this.#client, RUNS_MAX);
    const last = new Map((await lastInputs(this.#client, live)).map(({ id, number }) => [id, number]));
    for (const id of live) {
      this.#over.delete(id);
      this.#followed.set(id, { seen: last.get(id) ?? 0, tries: new Set(), waits: "", isTold: false });
    }
    for (const { runId, call, attempt } of await failedTries(this.#client, live)) {
      this.#followed.get(runId)?.tries.add(`${call}/${attempt}`);
    }
    for (const { id, type } of await followedStates(this.#client, live)) {
      this.#followed.get(id)!.isTold = true;
      this.#tell({ runId: id, type, kind: "found" });
    }
    this.#next();
  }

  async close(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
  }

  #next(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      // While the database is away there is nothing to tell.
      this.#looking = this.#look()
        .catch(() => {})
        .then(() => this.#next());
    }, LOOK_EVERY_MS);
  }

  async #look(): Promise<void> {
    for (const id of (await newRuns(this.#client, RUNS_MAX)).toReversed()) {
      if (this.#over.has(id) || this.#followed.has(id) || this.#followed.size >= RUNS_MAX) continue;
      this.#followed.set(id, { seen: 0, tries: new Set(), waits: "", isTold: false });
    }
    const ids = [...this.#followed.keys()];
    if (ids.length === 0) return;
    // The state first: of a run that has ended by then, all inputs are there.
    const states = await followedStates(this.#client, ids);
    const seen = ids.map((id) => this.#followed.get(id)!.seen);
    const inputs = grouped(await followedInputs(this.#client, ids, seen));
    const tries = grouped(await failedTries(this.#client, ids));
    for (const state of states) this.#tellOf(state, inputs.get(state.id) ?? [], tries.get(state.id) ?? []);
    this.#forget();
  }

  #tellOf(state: FollowedState, inputs: readonly FollowedInput[], tries: readonly FollowedTry[]): void {
    const { id: runId, type, status } = state;
    const run = this.#followed.get(runId)!;
    if (!run.isTold) this.#tell({ runId, type, kind: "started", value: shown(state.payload) });
    run.isTold = true;
    const fresh = tries.filter(({ call, attempt }) => !run.tries.has(`${call}/${attempt}`));
    for (const each of fresh) run.tries.add(`${each.call}/${each.attempt}`);
    run.seen = inputs.at(-1)?.number ?? run.seen;
    // The last try of a call that failed for good is told with its error.
    const told = [...inputs, ...fresh.filter(({ outcome, retryAt }) => outcome === "lost" || retryAt !== null)];
    for (const each of told.toSorted((a, b) => a.at - b.at)) {
      const news = "call" in each ? tryNews(type, each) : inputNews(type, each);
      if (news !== null) this.#tell(news);
    }
    this.#tellWaiting(run, state);
    if (status === "pending") return;
    this.#followed.delete(runId);
    this.#over.add(runId);
    this.#tell({ runId, type, kind: "ended", status, value: shown(state.result ?? state.error) });
  }

  #tellWaiting(run: Followed, { id: runId, type, phase, waitingFor, wakeAt: until }: FollowedState): void {
    if (phase === null) return;
    const isWaiting = phase !== "running" && phase !== "ready";
    const waits = isWaiting || waitingFor !== null ? `${phase}/${waitingFor}/${until}` : "";
    if (waits !== "" && waits !== run.waits) this.#tell({ runId, type, kind: "waits", phase, waitingFor, until });
    run.waits = waits;
  }

  #forget(): void {
    while (this.#over.size > 2 * RUNS_MAX) this.#over.delete(this.#over.values().next().value!);
  }
}

function inputNews(type: string, input: FollowedInput): RunNews | null {
  const { runId, kind, node, name, action, at, startedAt } = input;
  const outcome = OUTCOMES[kind];
  const attempt = input.attempt ?? 1;
  if (outcome === undefined || (kind === "start" && attempt === 1)) return null;
  const tookMs = startedAt === null ? null : at - startedAt;
  const about = { node: node ?? kind, name: action ?? name, value: shown(input.value), attempt, tookMs };
  return { runId, type, kind: "step", outcome, ...about };
}

type StepOutcome = Extract<RunNews, { readonly kind: "step" }>["outcome"];

const OUTCOMES: Readonly<Record<string, StepOutcome>> = {
  start: "again",
  result: "succeeded",
  error: "failed",
  timer: "elapsed",
  signal: "signalled",
  cancel: "cancelled",
};

function tryNews(type: string, failed: FollowedTry): RunNews {
  const { runId, node, action: name, outcome, error, attempt, retryAt } = failed;
  return { runId, type, kind: "try", node, name, outcome, value: shown(error), attempt, retryAt };
}

function shown(value: string | null): string | null {
  return value === null || isReference(value) ? null : value;
}

function grouped<T extends { readonly runId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.runId);
    if (group === undefined) groups.set(row.runId, [row]);
    else group.push(row);
  }
  return groups;
}
