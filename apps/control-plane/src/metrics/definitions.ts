import type { FailedAccess } from "../access/failed-access.ts";
import type { LiveClients } from "../http/live/live-clients.ts";
import type { WorkerHub } from "../hub/worker-hub.ts";
import type { Engine } from "../library/engine.ts";
import type { CountedRunloop, CountedSpread } from "../runloop/runloop-counters.ts";
import type { DatabaseLevels } from "./database-levels.ts";

/** What a control plane has that is measured. */
export interface Measured {
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
  /** Who watch. */
  readonly clients: LiveClients;
  /** Who were not let in. */
  readonly failed: FailedAccess;
  /** Pools in which jobs wait that no worker serves anywhere, as of the last heartbeat. */
  readonly unserved: () => readonly string[];
}

/** And what is seen of it when someone asks. */
export interface Seen extends Measured {
  readonly counted: readonly CountedRunloop[];
  readonly database: DatabaseLevels;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Plain {
  readonly kind: "counter" | "gauge";
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** One without labels, or several; null: it is not known. */
  readonly read: (seen: Seen) => number | Iterable<Sample> | null;
}

interface Spread {
  readonly kind: "histogram";
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** How many of what is counted are one of what is said. */
  readonly unit: number;
  readonly read: (counted: CountedRunloop) => CountedSpread;
}

export type Definition = Plain | Spread;

const MS = 1_000;

/** Names end in their unit, in seconds and bytes, as is usual with Prometheus. Labels have few values, whatever users do. */
export const DEFINITIONS: readonly Definition[] = [
  // Runs ---------------------------------------------------------------------------------------------------------------
  total("cairn_runs_started_total", "Runs started by requests to this control plane", startedRuns, "type"),
  total("cairn_runs_ended_total", "Runs whose end was committed by this control plane", endedRuns, "type", "status"),
  total("cairn_children_started_total", "Children that runs have started, and dead letters", sum("children")),
  total("cairn_runs_claimed_total", "Runs that were claimed", sum("claimed")),
  total("cairn_runs_taken_over_total", "Runs that were freed here since their owner was gone", sum("takenOver")),
  total("cairn_leases_lost_total", "Lives of runloops that have lost their runs", sum("livesLost")),
  gauge("cairn_runs_held", "Runs in the memory of this control plane", sum("held")),
  gauge("cairn_runs_held_bytes", "What these take, as their machines count it", sum("heldBytes")),
  // Steps --------------------------------------------------------------------------------------------------------------
  total("cairn_transitions_total", "Transitions of runs that were committed", sum("transitions")),
  total("cairn_inputs_total", "Inputs of runs that were committed: starts, results, signals, timers", sum("inputs")),
  total("cairn_attempts_total", "Tries of calls whose end was committed", attempts, "outcome"),
  total("cairn_attempt_retries_total", "Tries that failed and are followed by another one", sum("retried")),
  spread("cairn_commit_seconds", "How long commits take", MS, ({ commitMs }) => commitMs),
  spread("cairn_commit_transitions", "Transitions in one commit", 1, ({ commitSize }) => commitSize),
  spread("cairn_claim_seconds", "How long looks for runs take", MS, ({ claimMs }) => claimMs),
  // The queue ----------------------------------------------------------------------------------------------------------
  gauge("cairn_queue_ready", "Runs that wait to be claimed, up to 10000, in the whole database", readyRuns, "pool"),
  gauge("cairn_queue_oldest_ready_seconds", "How long the first of them waits", oldestReady, "pool"),
  gauge(
    "cairn_queue_runs",
    "Runs that live, in the whole database: ready and held up to 10000, parked about",
    liveRuns,
    "state",
  ),
  gauge(
    "cairn_queue_quarantined",
    "Runs whose owners went down twice, which are looked at alone",
    level("quarantined"),
  ),
  gauge(
    "cairn_limited_calls",
    "Calls of limited actions, up to 10000: open, or waiting for their turn",
    limitedCalls,
    "state",
  ),
  // Workers ------------------------------------------------------------------------------------------------------------
  gauge("cairn_workers_connected", "Streams of workers", (seen) => sessions(seen).length),
  gauge("cairn_worker_credits", "Calls that workers would take at once", (seen) =>
    ofSessions(seen, ({ free }) => free),
  ),
  gauge("cairn_calls_in_flight", "Calls that workers have", (seen) => ofSessions(seen, ({ calls }) => calls.size)),
  gauge("cairn_calls_waiting", "Calls that wait for a worker", ({ hub }) => hub.waiting),
  gauge(
    "cairn_pool_unserved",
    "1 for each pool in which jobs wait and no worker anywhere serves it",
    unservedPools,
    "pool",
  ),
  // Schedules and events -----------------------------------------------------------------------------------------------
  total("cairn_schedule_firings_total", "Due times of schedules that this process has dealt with", firings, "outcome"),
  gauge("cairn_schedules_late_seconds", "How long the first schedule that is due has been so", late("scheduleLateMs")),
  total("cairn_outbox_deliveries_total", "Events offered to subscribers by this process", deliveries, "outcome"),
  total("cairn_outbox_given_up_total", "Events that became dead letters in this process", tally("eventsDead")),
  gauge("cairn_outbox_lag_seconds", "How long the first event waits that was offered to nobody", late("outboxLagMs")),
  gauge("cairn_outbox_backlog", "Events that wait for a subscriber, up to 10000", level("backlog")),
  gauge(
    "cairn_outbox_dead_letters",
    "Events that were given up and wait for an operator, up to 10000",
    level("deadLetters"),
  ),
  gauge("cairn_subscriptions_failing", "Subscriptions whose subscriber takes nothing", level("failingSubscriptions")),
  total("cairn_retention_total", "What this process has removed, archived, rewritten or dropped", retained, "what"),
  // Those who watch ----------------------------------------------------------------------------------------------------
  gauge("cairn_live_clients", "Who watch this control plane: streams by kind, and sockets", watching, "kind"),
  total(
    "cairn_live_events_sent_total",
    "Events, steps and chunks that were told to them",
    (seen) => seen.clients.sentCount,
  ),
  total("cairn_live_dropped_total", "Those who were dropped", droppedClients, "reason"),
  gauge(
    "cairn_live_held_up_seconds",
    "How long those who watch wait for a transaction that writes events",
    ({ engine }) => engine.live.events.lagMs / MS,
  ),
  // Those who were not let in -------------------------------------------------------------------------------------------
  total(
    "cairn_access_refused_total",
    "Requests and logins with a key or token that is wrong, expired or revoked, with a session that is over, of an address that is locked out, or with a certificate that lets nobody in; and handshakes of TLS that failed",
    ({ failed }) => by("reason", failed.counts),
    "reason",
  ),
  // The process --------------------------------------------------------------------------------------------------------
  gauge("cairn_database_up", "1 if the database has just answered", ({ database }) => (database.all === null ? 0 : 1)),
  gauge("cairn_clock_skew_seconds", "How far the database's clock is ahead of this machine's", clockSkew),
  total("cairn_warnings_total", "Warnings that were told", tally("warnings")),
];

/** What is told as it happens, with upper bounds in seconds. */
export const OBSERVED = {
  dispatches: {
    name: "cairn_dispatch_seconds",
    help: "How long calls wait in the control plane before they go to a worker",
    labels: [],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  },
  actions: {
    name: "cairn_action_seconds",
    help: "How long tries of actions take on workers, by their clocks; actions beyond the first 100 are other",
    labels: ["action", "outcome"],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 3_600],
  },
} as const;

function total(name: string, help: string, read: Plain["read"], ...labels: string[]): Plain {
  return { kind: "counter", name, help, labels, read };
}

function gauge(name: string, help: string, read: Plain["read"], ...labels: string[]): Plain {
  return { kind: "gauge", name, help, labels, read };
}

function spread(name: string, help: string, unit: number, read: Spread["read"]): Spread {
  return { kind: "histogram", name, help, labels: [], unit, read };
}

type NumbersOf<T> = { [K in keyof T]: T[K] extends number ? K : never }[keyof T];

/** Of all runloops. */
function sum(what: NumbersOf<CountedRunloop>): Plain["read"] {
  return ({ counted }) => counted.reduce((all, each) => all + each[what], 0);
}

function tally(what: Parameters<Engine["tally"]["count"]>[0]): Plain["read"] {
  return ({ engine }) => engine.tally.count(what);
}

type Levels = NonNullable<DatabaseLevels["all"]>;

function level(what: NumbersOf<Levels>): Plain["read"] {
  return ({ database: { all } }) => all?.[what] ?? null;
}

/** What is not there is not late. */
function late(what: "scheduleLateMs" | "outboxLagMs"): Plain["read"] {
  return ({ database: { all } }) => (all === null ? null : Math.max(0, all[what] ?? 0) / MS);
}

function by(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function startedRuns({ engine }: Seen): Sample[] {
  return Array.from(engine.tally.startedRuns, ([type, value]) => ({ labels: { type }, value }));
}

function* endedRuns({ engine }: Seen): Iterable<Sample> {
  for (const [type, statuses] of engine.tally.endedRuns) {
    for (const [status, value] of statuses) yield { labels: { type, status }, value };
  }
}

function attempts({ counted }: Seen): Sample[] {
  const of = (what: "succeeded" | "failed" | "lost"): number => counted.reduce((all, each) => all + each[what], 0);
  return by("outcome", { succeeded: of("succeeded"), failed: of("failed"), lost: of("lost") });
}

function readyRuns({ database }: Seen): Sample[] {
  return database.pools.map(({ pool, ready }) => ({ labels: { pool }, value: ready }));
}

function oldestReady({ database }: Seen): Sample[] {
  return database.pools.map(({ pool, oldestMs }) => ({ labels: { pool }, value: Math.max(0, oldestMs) / MS }));
}

function liveRuns({ database: { pools, all } }: Seen): Sample[] {
  if (all === null) return [];
  const ready = pools.reduce((runs, pool) => runs + pool.ready, all.quarantined);
  return by("state", { ready, held: all.held, parked: Math.max(0, Math.round(all.live - ready - all.held)) });
}

function limitedCalls({ database: { all } }: Seen): Sample[] {
  return all === null ? [] : by("state", { open: all.limitedOpen, waiting: all.limitedWaiting });
}

function sessions({ hub }: Seen): ReturnType<typeof sessionsOf> {
  return sessionsOf(hub);
}

function sessionsOf(hub: Seen["hub"]) {
  return [...hub.sessions];
}

function ofSessions(seen: Seen, value: (session: ReturnType<typeof sessionsOf>[number]) => number): number {
  return sessions(seen).reduce((all, session) => all + value(session), 0);
}

function unservedPools({ unserved }: Seen): Sample[] {
  return unserved().map((pool) => ({ labels: { pool }, value: 1 }));
}

function firings({ engine: { tally: counted } }: Seen): Sample[] {
  return by("outcome", {
    fired: counted.count("schedulesFired"),
    skipped: counted.count("schedulesSkipped"),
    missed: counted.count("schedulesMissed"),
    failed: counted.count("schedulesFailed"),
  });
}

function watching({ clients }: Seen): Sample[] {
  return by("kind", clients.counts);
}

function droppedClients({ clients }: Seen): Sample[] {
  return by("reason", clients.droppedCounts);
}

function deliveries({ engine: { tally: counted } }: Seen): Sample[] {
  return by("outcome", { taken: counted.count("eventsTaken"), refused: counted.count("eventsRefused") });
}

function retained({ engine }: Seen): Sample[] {
  const done = Object.entries(engine.maintenance?.maintained ?? {});
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return by("what", Object.fromEntries(done.map(([name, count]) => [snakeCase(name), count])));
}

function clockSkew({ database }: Seen): number | null {
  return database.all === null ? null : database.skewMs / MS;
}
