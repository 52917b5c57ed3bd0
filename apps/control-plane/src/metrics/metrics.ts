import { collectDefaultMetrics, Histogram, type Metric, Registry } from "prom-client";
import { BoundedNames } from "../library/bounded-names.ts";
import { DatabaseLook, UNKNOWN } from "./database-levels.ts";
import { type Definition, DEFINITIONS, OBSERVED, type Measured, type Sample, type Seen } from "./definitions.ts";

/** Actions that are told apart. */
const ACTIONS_MAX = 100;

/**
 * What Prometheus is told of a control plane. Most of it is read where it is counted anyway, at the moment that someone asks:
 * see `DEFINITIONS`, where a metric more is a line more.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #dispatches: Histogram;
  readonly #actions: Histogram<"action" | "outcome">;
  readonly #names = new BoundedNames(ACTIONS_MAX);
  #measured: Measured | null = null;
  #look: DatabaseLook | null = null;
  #text: Promise<string> | null = null;

  /** `ofProcess`: what Node.js says of the process too, its memory and its event loop. */
  constructor(ofProcess: boolean) {
    const registers = [this.#registry];
    if (ofProcess) collectDefaultMetrics({ register: this.#registry });
    this.#dispatches = new Histogram({ ...OBSERVED.dispatches, buckets: [...OBSERVED.dispatches.buckets], registers });
    const { labels, buckets, ...actions } = OBSERVED.actions;
    this.#actions = new Histogram({ ...actions, labelNames: [...labels], buckets: [...buckets], registers });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** From now on it is told of these. */
  measure(measured: Measured): void {
    this.#measured = measured;
    this.#look = new DatabaseLook(measured.engine.impatient);
  }

  /** A call goes to a worker. */
  sent(waitedMs: number): void {
    this.#dispatches.observe(waitedMs / 1_000);
  }

  /** A worker has said how a try has ended. */
  ended(action: string, outcome: "result" | "error", durationMs: number): void {
    this.#actions.observe({ action: this.#names.shown(action), outcome }, durationMs / 1_000);
  }

  /** Those who ask at the same time get the same. */
  text(): Promise<string> {
    this.#text ??= this.#make().finally(() => (this.#text = null));
    return this.#text;
  }

  async #make(): Promise<string> {
    const measured = this.#measured;
    const database = (await this.#look?.levels()) ?? UNKNOWN;
    const seen = measured === null ? null : { ...measured, database, counted: measured.engine.counted };
    const read = new Registry();
    for (const definition of DEFINITIONS) read.registerMetric(metricOf(definition, seen) as unknown as Metric);
    return `${await read.metrics()}\n${await this.#registry.metrics()}`;
  }
}

/** What the library's registry asks of a metric: its own can only be told of one thing at a time. */
function metricOf(definition: Definition, seen: Seen | null): object {
  const { name, help, kind } = definition;
  const get = async (): Promise<object> => {
    const values = seen === null ? [] : [...samplesOf(definition, seen)];
    return { name, help, type: kind, aggregator: "sum", values };
  };
  return { name, help, type: kind, get, reset: () => {} };
}

function* samplesOf(definition: Definition, seen: Seen): Iterable<object> {
  const { name } = definition;
  if (definition.kind !== "histogram") {
    const read = definition.read(seen);
    const samples: Iterable<Sample> = typeof read === "number" ? [{ labels: {}, value: read }] : (read ?? []);
    for (const { labels, value } of samples) yield { metricName: name, labels, value };
    return;
  }
  const { unit, read } = definition;
  const spreads = seen.counted.map(read);
  const bounds = spreads[0]?.bounds ?? [];
  let upTo = 0;
  for (const [index, le] of [...bounds.map((bound) => String(bound / unit)), "+Inf"].entries()) {
    upTo += spreads.reduce((all, { buckets }) => all + buckets[index]!, 0);
    yield { metricName: `${name}_bucket`, labels: { le }, value: upTo };
  }
  yield { metricName: `${name}_sum`, labels: {}, value: spreads.reduce((all, { sum }) => all + sum, 0) / unit };
  yield { metricName: `${name}_count`, labels: {}, value: upTo };
}
