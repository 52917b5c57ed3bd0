import type { Count } from "../library/engine-tally.ts";
import { backoffMs } from "../runloop/backoff.ts";
import type { OutboxEvent } from "../store/outbox.ts";
import type { DeliveryCount, Subscription } from "../store/subscriptions.ts";
import { outgoing } from "./cloud-event.ts";
import { HELD_BACK, notTaken, outcomeOf, type OutgoingEvent, type SinkOutcome } from "./event-sink.ts";
import { Health, PATIENCE_MS } from "./health.ts";
import { sendInRunOrder } from "./in-run-order.ts";
import { openSink, type Sink, type SinkContext } from "./open-sink.ts";
import type { Warn, WarningFacts } from "../warn.ts";

export interface SubscriberOptions extends SinkContext {
  readonly now: () => number;
  readonly random: () => number;
  readonly count: Count;
  readonly warn: Warn;
}

/** Owns: the way to one subscriber, how it is, and what was delivered since that was last counted. */
export class Subscriber {
  readonly about: Subscription;
  readonly health: Health;
  readonly #options: SubscriberOptions;
  #sink: Promise<Sink> | null = null;
  #delivered = 0;
  #refused = 0;
  #toldError: string | null = null;

  constructor(about: Subscription, options: SubscriberOptions) {
    this.about = about;
    this.#options = options;
    const { now, random, warn } = options;
    this.health = new Health({
      now,
      random,
      pauseMs: about.backoffMs,
      pauseMaxMs: about.backoffMaxMs,
      failed: (error) =>
        warn(
          `Events for the subscription ${about.name} of ${about.namespace} wait`,
          new Error(error),
          aboutSubscription(about),
        ),
    });
  }

  get isActive(): boolean {
    return this.about.status === "active";
  }

  /** An outcome for each event, in their order. What is not begun when the patience ends is held back. */
  async deliver(events: readonly OutboxEvent[], patienceMs = Number.POSITIVE_INFINITY): Promise<SinkOutcome[]> {
    const outcomes: SinkOutcome[] = events.map(() => HELD_BACK);
    const indexes: number[] = [];
    const made: OutgoingEvent[] = [];
    const broken = new Set<string>();
    events.forEach((event, index) => {
      if (broken.has(event.runId)) return;
      try {
        made.push(outgoing(event));
        indexes.push(index);
      } catch (error) {
        // Whatever it is, CloudEvents has no way to say it.
        outcomes[index] = notTaken("refused", `It is no CloudEvent: ${(error as Error).message}`);
        broken.add(event.runId);
      }
    });
    (await this.#send(made, patienceMs)).forEach((outcome, index) => (outcomes[indexes[index]!] = outcome));
    const taken = outcomes.filter((outcome) => outcome.taken).length;
    const refused = outcomes.filter((outcome) => !outcome.taken && outcome.why !== "held back").length;
    this.#delivered += taken;
    this.#refused += refused;
    this.#options.count("eventsTaken", taken);
    this.#options.count("eventsRefused", refused);
    return outcomes;
  }

  /** Until the next attempt of an event that has had so many; null: it is a dead letter. */
  delayMs(attempts: number): number | null {
    const { maxAttempts, backoffMs: base, backoffMaxMs: cap } = this.about;
    if (attempts >= maxAttempts) return null;
    return backoffMs({ baseMs: base, capMs: cap, attempts: maxAttempts }, attempts, this.#options.random);
  }

  /** What is to be counted, if there is something. */
  takeCount(): DeliveryCount | null {
    const { error } = this.health;
    const isNew = this.#delivered > 0 || this.#refused > 0 || error !== this.#toldError;
    if (!isNew) return null;
    const count = { id: this.about.id, delivered: this.#delivered, refused: this.#refused, error };
    [this.#delivered, this.#refused, this.#toldError] = [0, 0, error];
    return count;
  }

  async close(): Promise<void> {
    const sink = await this.#sink?.catch(() => null);
    await sink?.close?.().catch(() => {});
  }

  async #send(events: readonly OutgoingEvent[], patienceMs: number): Promise<readonly SinkOutcome[]> {
    if (events.length === 0) return [];
    let sink: Sink;
    try {
      this.#sink ??= openSink(this.about, this.#options);
      sink = await this.#sink;
    } catch (error) {
      this.#sink = null;
      const away = notTaken("away", (error as Error).message);
      this.health.record(away, events[0]!.runId, 0);
      return events.map((_, index) => (index === 0 ? away : HELD_BACK));
    }
    if ("send" in sink) return sendInRunOrder(sink, events, this.health, patienceMs);
    return this.#publish(sink, events);
  }

  async #publish(sink: Exclude<Sink, { send: unknown }>, events: readonly OutgoingEvent[]): Promise<SinkOutcome[]> {
    const before = performance.now();
    let outcomes: readonly SinkOutcome[];
    try {
      const answered = await timed(sink.publish(events), this.about.timeoutMs);
      if (answered.length !== events.length)
        throw new Error(`It answered for ${answered.length} of ${events.length} events`);
      outcomes = answered.map(outcomeOf);
    } catch (error) {
      outcomes = events.map(() => notTaken("away", error instanceof Error ? error.message : String(error)));
    }
    const batchMs = performance.now() - before;
    if (batchMs > PATIENCE_MS) this.health.keepsWaiting();
    const tookMs = batchMs / events.length;
    return behindFailures(events, outcomes).map((outcome, index) =>
      this.health.record(outcome, events[index]!.runId, tookMs),
    );
  }
}

export function aboutSubscription({ namespace, name }: Subscription): WarningFacts {
  return { namespace, subscription: name };
}

/** Those of a run that come behind one that was not taken are not counted as sent. */
function behindFailures(events: readonly OutgoingEvent[], outcomes: readonly SinkOutcome[]): SinkOutcome[] {
  const failed = new Set<string>();
  return outcomes.map((outcome, index) => {
    const { runId } = events[index]!;
    if (failed.has(runId)) return HELD_BACK;
    if (!outcome.taken) failed.add(runId);
    return outcome;
  });
}

async function timed<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
