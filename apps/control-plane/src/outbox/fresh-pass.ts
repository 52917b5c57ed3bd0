import type { Count } from "../library/engine-tally.ts";
import { type FreshEvent, freshEvents, markPublished, type NotTaken, passEvents } from "../store/outbox.ts";
import type { Queryable } from "../store/statement.ts";
import type { SinkOutcome } from "./event-sink.ts";
import { PATIENCE_MS } from "./health.ts";
import type { Subscriber } from "./subscriber.ts";
import type { Subscribers } from "./subscribers.ts";

export interface Pass {
  readonly client: Queryable;
  readonly dispatcher: string;
  readonly shard: number;
  readonly subscribers: Subscribers;
  /** A subscriber has said that it never wants anything again. */
  readonly gone: (subscriber: Subscriber, error: string) => Promise<void>;
  /** Something is due after this time. */
  readonly dueIn: (ms: number) => void;
  readonly count: Count;
}

/**
 * Offers the next events of a shard to everyone who wants them. What is not taken, or would hold up others, waits in the backlog, and
 * whatever follows of its run waits behind it. Returns whether there may be more.
 */
export async function passFresh(pass: Pass): Promise<boolean> {
  const { client, dispatcher, shard, subscribers } = pass;
  const { events, subscriptions } = await freshEvents(client, shard, dispatcher);
  if (events.length === 0) return false;
  // Whoever subscribed before an event was written gets it, whatever was known here until now.
  await subscribers.see(client, subscriptions);
  const bySubscriber = new Map<Subscriber, FreshEvent[]>();
  for (const event of events) {
    for (const subscriber of subscribers.wanting(event.namespace, event.type)) {
      const wanted = bySubscriber.get(subscriber);
      if (wanted === undefined) bySubscriber.set(subscriber, [event]);
      else wanted.push(event);
    }
  }
  const offers = [...bySubscriber].map(([subscriber, wanted]) => offer(pass, subscriber, wanted));
  const notTaken = (await Promise.all(offers)).flat();
  const ids = events.map(({ id }) => id);
  if (notTaken.length === 0) return markPublished(client, shard, dispatcher, ids);
  const isMine = await passEvents(client, shard, dispatcher, ids, notTaken);
  pass.count("eventsDead", notTaken.filter(({ attempts, delayMs }) => attempts > 0 && delayMs === null).length);
  pass.dueIn(Math.min(...notTaken.map(({ delayMs }) => delayMs ?? 0)));
  return isMine;
}

async function offer(pass: Pass, subscriber: Subscriber, events: readonly FreshEvent[]): Promise<NotTaken[]> {
  const { id } = subscriber.about;
  const waits = (event: FreshEvent): boolean =>
    !subscriber.isActive || !subscriber.health.takesFresh || event.blocked.includes(id);
  const waiting = events.filter(waits);
  const sent = waiting.length === 0 ? events : events.filter((event) => !waiting.includes(event));
  // Others, if there are any, get what comes next when it has these.
  const isAlone = pass.subscribers.all.length === 1;
  const outcomes = await subscriber.deliver(sent, isAlone ? Number.POSITIVE_INFINITY : PATIENCE_MS);
  const gone = outcomes.find((outcome) => !outcome.taken && outcome.why === "gone");
  if (gone !== undefined && !gone.taken) await pass.gone(subscriber, gone.error);
  const untried = { subscription: id, attempts: 0, delayMs: null, error: null };
  return [
    ...waiting.map((event) => ({ ...untried, event: event.id })),
    ...sent.flatMap((event, index) => notTakenOf(subscriber, event, outcomes[index]!)),
  ];
}

function notTakenOf(subscriber: Subscriber, { id: event }: FreshEvent, outcome: SinkOutcome): NotTaken[] {
  if (outcome.taken) return [];
  const { id: subscription } = subscriber.about;
  const error = outcome.error === "" ? null : outcome.error;
  if (outcome.why !== "refused") return [{ event, subscription, attempts: 0, delayMs: null, error }];
  return [{ event, subscription, attempts: 1, delayMs: subscriber.delayMs(1), error }];
}
