import type { TailPosition, TailRows, ToldEventRow, ToldStepRow } from "../store/read-events.ts";

/** How far it is known that there are no other events than those that were read. */
export interface Settled {
  /** Up to this id before the steps were read: of these events, all inputs that came before were there by then. */
  readonly before: number;
  /** Up to this id when the events were read: these may be told. */
  readonly upTo: number;
  /** Whoever wrote events when the steps were read has ended: none comes any more that stands before one of those. */
  readonly isKnown: boolean;
}

export type Told =
  | { readonly position: TailPosition; readonly event: ToldEventRow }
  | { readonly position: TailPosition; readonly step: ToldStepRow };

/**
 * The one order of what a run does, whoever reads it, and when: an event stands behind the input that its run had taken last when it was written,
 * and before the next one. Events go by their ids, and of their numbers the highest so far counts.
 *
 * Ends where it is not certain how it goes on: behind a page that has not all, or before an event that is not decided.
 */
export function* inOrder(from: TailPosition, tail: TailRows, settled: Settled): Generator<Told> {
  const { events, steps } = tail;
  let { event: seen, number } = from;
  let next = 0;
  /** The last input before the event that comes next. */
  let last = number;
  function* stepsUpTo(bound: number): Generator<Told> {
    for (; next < steps.length && steps[next]!.number <= bound; next++) {
      number = steps[next]!.number;
      yield { position: { event: seen, number }, step: steps[next]! };
    }
  }
  for (const event of events) {
    const isDecided = event.id <= settled.upTo;
    if (!isDecided && !settled.isKnown) return;
    last = Math.max(last, event.afterInput);
    yield* stepsUpTo(last);
    if (!isDecided) return;
    // Its inputs may not have been there when the steps were read; or there are more than were.
    if (number < last && (!tail.hasAllSteps || event.id > settled.before)) return;
    seen = event.id;
    yield { position: { event: seen, number }, event };
  }
  if (settled.isKnown && tail.hasAllEvents) yield* stepsUpTo(Number.POSITIVE_INFINITY);
}
