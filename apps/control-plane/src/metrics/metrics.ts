import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from "prom-client";
import type { WorkerHub } from "../hub/worker-hub.ts";
import type { Engine } from "../library/engine.ts";
import { COMMIT_BUCKETS_MS } from "../runloop/runloop-counters.ts";
import { type PoolDepth, queueDepths } from "../store/queue-depth.ts";

/** Upper bounds, in seconds. */
const DISPATCH_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300];
/** However often someone asks, the queue is counted no more often. */
const DEPTHS_EVERY_MS = 1_000;

export interface Measured {
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
}

/**
 * What Prometheus is told of a control plane. Most of it is read where it is counted anyway, at the moment that someone asks.
 * Names end in their unit, in seconds and bytes, as is usual there.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #dispatches: Histogram;
  #measured: Measured | null = null;
  #depths: readonly PoolDepth[] = [];
  #depthsAt = Number.NEGATIVE_INFINITY;

  /** `ofProcess`: what Node.js says of the process too, its memory and its event loop. */
  constructor(ofProcess: boolean) {
    const registers = [this.#registry];
    if (ofProcess) collectDefaultMetrics({ register: this.#registry });
    this.#dispatches = new Histogram({
      name: "cairn_dispatch_seconds",
      help: "How long calls wait in the control plane before they go to a worker",
      buckets: DISPATCH_BUCKETS,
      registers,
    });
    this.#addRuns(registers);
    this.#addWorkers(registers);
    this.#registry.registerMetric(this.#commits() as unknown as Metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** From now on it is told of these. */
  measure(measured: Measured): void {
    this.#measured = measured;
  }

  /** A call goes to a worker. */
  sent(waitedMs: number): void {
    this.#dispatches.observe(waitedMs / 1_000);
  }

  async text(): Promise<string> {
    await this.#lookAtQueue();
    return this.#registry.metrics();
  }

  /** A database that is away takes nothing but the depths from those who ask. */
  async #lookAtQueue(): Promise<void> {
    const now = performance.now();
    if (this.#measured === null || now - this.#depthsAt < DEPTHS_EVERY_MS) return;
    this.#depthsAt = now;
    this.#depths = await queueDepths(this.#measured.engine.impatient).catch(() => []);
  }

  #addRuns(registers: Registry[]): void {
    const read = (collect: (measured: Measured) => void): void => {
      if (this.#measured !== null) collect(this.#measured);
    };
    const total = (name: string, help: string, value: (measured: Measured) => number): void =>
      void new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          read((measured) => this.inc(value(measured)));
        },
      });
    total("cairn_runs_started_total", "Runs started by requests to this control plane", ({ engine }) => {
      return engine.tally.startedRuns;
    });
    void new Counter({
      name: "cairn_runs_ended_total",
      help: "Runs that have ended in this control plane",
      labelNames: ["status"],
      registers,
      collect() {
        this.reset();
        read(({ engine }) => {
          for (const [status, count] of engine.tally.endedRuns) this.inc({ status }, count);
        });
      },
    });
    total("cairn_runs_claimed_total", "Runs that were claimed", ({ engine }) => sum(engine, ({ claimed }) => claimed));
    total("cairn_transitions_total", "Transitions of runs that were committed", ({ engine }) =>
      sum(engine, ({ transitions }) => transitions),
    );
    const depths = (): readonly PoolDepth[] => this.#depths;
    void new Gauge({
      name: "cairn_queue_ready",
      help: "Runs that wait to be claimed, in the whole database",
      labelNames: ["pool"],
      registers,
      collect() {
        this.reset();
        for (const { pool, ready } of depths()) this.set({ pool }, ready);
      },
    });
  }

  #addWorkers(registers: Registry[]): void {
    const gauge = (name: string, help: string, value: (measured: Measured) => number): void => {
      const read = (): number => (this.#measured === null ? 0 : value(this.#measured));
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    };
    const sessions = ({ hub }: Measured) => [...hub.sessions];
    gauge("cairn_runs_held", "Runs in the memory of this control plane", ({ engine }) =>
      sum(engine, ({ held }) => held),
    );
    gauge("cairn_workers_connected", "Streams of workers", (measured) => sessions(measured).length);
    gauge("cairn_worker_credits", "Calls that workers would take at once", (measured) =>
      sessions(measured).reduce((all, { free }) => all + free, 0),
    );
    gauge("cairn_calls_in_flight", "Calls that workers have", (measured) =>
      sessions(measured).reduce((all, { calls }) => all + calls.size, 0),
    );
    gauge("cairn_calls_waiting", "Calls that wait for a worker", ({ hub }) => hub.waiting);
  }

  /** Counted in other threads, by buckets: the library's own histogram can only be told of one commit at a time. */
  #commits(): object {
    const name = "cairn_commit_seconds";
    const help = "How long commits take";
    const get = async (): Promise<object> => {
      const counted = this.#measured?.engine.counted ?? [];
      const bounds = [...COMMIT_BUCKETS_MS.map((bound) => String(bound / 1_000)), "+Inf"];
      let upTo = 0;
      const buckets = bounds.map((le, index) => {
        upTo += counted.reduce((all, each) => all + each.buckets[index]!, 0);
        return { metricName: `${name}_bucket`, labels: { le }, value: upTo };
      });
      const seconds = counted.reduce((all, { commitMs }) => all + commitMs, 0) / 1_000;
      const commits = counted.reduce((all, each) => all + each.commits, 0);
      const values = [
        ...buckets,
        { metricName: `${name}_sum`, labels: {}, value: seconds },
        { metricName: `${name}_count`, labels: {}, value: commits },
      ];
      return { name, help, type: "histogram", aggregator: "sum", values };
    };
    return { name, help, type: "histogram", get, reset: () => {} };
  }
}

function sum(engine: Engine, value: (counted: Engine["counted"][number]) => number): number {
  return engine.counted.reduce((all, counted) => all + value(counted), 0);
}
