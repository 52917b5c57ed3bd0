import { BATCH, dueBacklog, type RefusedAgain, settleBacklog, type WaitingEvent } from "../store/outbox.ts";
import type { SinkOutcome } from "./event-sink.ts";
import type { Pass } from "./fresh-pass.ts";
import type { Subscriber } from "./subscriber.ts";

/** Offers to a subscriber what waits for it in a shard and is due. Returns whether there may be more. */
export async function passBacklog(pass: Pass, subscriber: Subscriber): Promise<boolean> {
  const { health, isActive } = subscriber;
  if (!isActive) return false;
  const limit = health.grant(BATCH);
  if (limit === 0) {
    if (health.waitMs > 0) pass.dueIn(health.waitMs);
    return false;
  }
  try {
    return await offerAgain(pass, subscriber, limit);
  } finally {
    if (limit < BATCH) {
      health.release();
      // Whatever else waits for it was told to wait for this.
      pass.dueIn(health.waitMs);
    }
  }
}

async function offerAgain(pass: Pass, subscriber: Subscriber, limit: number): Promise<boolean> {
  const { client, shard, dispatcher } = pass;
  const { id } = subscriber.about;
  const events = await dueBacklog(client, shard, dispatcher, id, limit);
  if (events.length === 0) return false;
  const outcomes = await subscriber.deliver(events);
  const gone = outcomes.find((outcome) => !outcome.taken && outcome.why === "gone");
  if (gone !== undefined && !gone.taken) await pass.gone(subscriber, gone.error);
  const taken = events.filter((_, index) => outcomes[index]!.taken).map((event) => event.id);
  const refused = events.flatMap((event, index) => refusedAgain(subscriber, event, outcomes[index]!));
  const isMine = await settleBacklog(client, shard, dispatcher, id, taken, refused);
  pass.count("eventsDead", refused.filter(({ delayMs }) => delayMs === null).length);
  const delays = refused.flatMap(({ delayMs }) => (delayMs === null ? [] : [delayMs]));
  if (delays.length > 0) pass.dueIn(Math.max(Math.min(...delays), subscriber.health.waitMs));
  return isMine && gone === undefined && taken.length + refused.length > 0;
}

function refusedAgain(subscriber: Subscriber, event: WaitingEvent, outcome: SinkOutcome): RefusedAgain[] {
  if (outcome.taken || outcome.why === "held back") return [];
  const { error } = outcome;
  // That nobody is there is no fault of the event's; it goes to the end of those that are due.
  if (outcome.why !== "refused") return [{ event: event.id, counted: 0, delayMs: 0, error }];
  return [{ event: event.id, counted: 1, delayMs: subscriber.delayMs(event.attempts + 1), error }];
}
