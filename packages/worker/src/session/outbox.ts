import {
  BATCH_MAX,
  type Chunk,
  type Credits,
  type Heartbeat,
  inFrames,
  type Value,
  type WorkerFrame,
} from "@cairnjs/protocol";
import type { Try } from "../tries.ts";

/**
 * What is to be said on one stream: by try, so that it never has more than the worker has.
 *
 * Invariants:
 *   O1  A list of what is in flight is whole: begun lists are ended before anything else is said.
 *   O2  What is said of a try is what is known of it when the frame is made.
 *   O3  An outcome is said after what its try has streamed, as far as that was not taken: before the run can end, those who
 *       watch it see all of it.
 */
export class Outbox {
  /** Null: nobody has asked. */
  #inFlight: Try[] | null = null;
  readonly #outcomes = new Set<Try>();
  readonly #beats = new Set<Try>();
  readonly #streaming = new Set<Try>();
  /** The last chunk that was said on this stream. */
  readonly #saidChunks = new WeakMap<Try, number>();
  /** Details that were said on this stream need not be said again. */
  readonly #saidDetails = new WeakMap<Try, Value>();
  #credits: Credits | null = null;
  #isDraining = false;

  listInFlight(tries: Iterable<Try>): void {
    this.#inFlight = [...tries];
  }

  offer(one: Try): void {
    this.#outcomes.add(one);
    if (one.outcome !== null && one.running?.chunks) this.#streaming.add(one);
  }

  stream(one: Try): void {
    this.#streaming.add(one);
  }

  beat(one: Try): void {
    this.#beats.add(one);
  }

  sayCredits(credits: Credits): void {
    this.#credits = credits;
  }

  sayDraining(): void {
    this.#isDraining = true;
  }

  /** Null if there is nothing to say. */
  next(): WorkerFrame | null {
    if (this.#inFlight !== null) return this.#nextInFlight(this.#inFlight);
    const chunks = this.#nextChunks();
    const outcomes = this.#nextOutcomes();
    const heartbeats = this.#nextHeartbeats();
    // Credits come last: with them a control plane sends more, and it should know first what has ended.
    const isLast = this.#outcomes.size === 0 && this.#beats.size === 0;
    const credits = isLast ? this.#credits : null;
    const draining = isLast && this.#isDraining;
    if (isLast) {
      this.#credits = null;
      this.#isDraining = false;
    }
    const isEmpty = chunks.length === 0 && outcomes.length === 0 && heartbeats.length === 0;
    if (isEmpty && credits === null && !draining) return null;
    return {
      ...(chunks.length === 0 ? {} : { chunks }),
      ...(outcomes.length === 0 ? {} : { outcomes }),
      ...(heartbeats.length === 0 ? {} : { heartbeats }),
      ...(credits === null ? {} : { credits }),
      ...(draining ? { draining } : {}),
    };
  }

  #nextInFlight(tries: Try[]): WorkerFrame {
    const calls = tries.splice(0, BATCH_MAX).map(({ ref }) => ref);
    const more = tries.length > 0;
    if (!more) this.#inFlight = null;
    return { inFlight: { calls, more } };
  }

  /** Tries take turns, a frame each at most: none waits for another that streams all the time. */
  #nextChunks(): Chunk[] {
    const ready: { readonly one: Try; readonly chunk: Chunk }[] = [];
    for (const one of this.#streaming) {
      const { incarnation, runId, call, attempt } = one.ref;
      const said = this.#saidChunks.get(one) ?? 0;
      for (const { number, text } of one.running?.chunks?.after(said) ?? []) {
        ready.push({ one, chunk: { incarnation, runId, call, attempt, number, json: text } });
      }
      this.#streaming.delete(one);
      if (ready.length >= BATCH_MAX) break;
    }
    const [list = []] = inFrames(ready.map(({ chunk }) => chunk));
    for (const [index, { one, chunk }] of ready.entries()) {
      if (index < list.length) this.#saidChunks.set(one, chunk.number);
      else this.#streaming.add(one);
    }
    return list;
  }

  #nextOutcomes(): NonNullable<WorkerFrame["outcomes"]> {
    const ready: Try[] = [];
    for (const one of this.#outcomes) {
      if (one.outcome === null) this.#outcomes.delete(one);
      else if (!this.#streaming.has(one)) ready.push(one);
      if (ready.length === BATCH_MAX) break;
    }
    const [list = []] = inFrames(ready.map(({ outcome }) => outcome!));
    for (const one of ready.slice(0, list.length)) this.#outcomes.delete(one);
    return list;
  }

  #nextHeartbeats(): Heartbeat[] {
    const ready: Try[] = [];
    for (const one of this.#beats) {
      if (one.hasEnded) this.#beats.delete(one);
      else ready.push(one);
      if (ready.length === BATCH_MAX) break;
    }
    const [list = []] = inFrames(ready.map((one) => this.#heartbeatOf(one)));
    for (const [index, { details }] of list.entries()) {
      const one = ready[index]!;
      this.#beats.delete(one);
      if (details !== null) this.#saidDetails.set(one, details);
    }
    return list;
  }

  #heartbeatOf(one: Try): Heartbeat {
    const { incarnation, runId, call, attempt } = one.ref;
    const details = this.#saidDetails.get(one) === one.details ? null : one.details;
    return { incarnation, runId, call, attempt, details };
  }
}
