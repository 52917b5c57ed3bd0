import type { ReadEvent } from "../store/read-events.ts";
import { oneLine } from "../stored-json.ts";

/** An event of a run that is there. */
export interface FedEvent {
  readonly id: number;
  readonly runId: string;
  readonly namespace: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly kind: string;
  readonly cursor: string;
  /** As JSON. */
  readonly text: string;
}

export function fedEvent(event: ReadEvent): FedEvent | null {
  const { id, runId, namespace, type, tags, kind, data, isCut, at } = event;
  if (namespace === null) return null;
  const cursor = String(id);
  return {
    id,
    runId,
    namespace,
    type,
    tags,
    kind,
    cursor,
    text: liveText(cursor, runId, type, { kind, data, isCut, at }),
  };
}

/** A `LiveEvent`. What goes with an event is JSON already. */
export function liveText(
  cursor: string,
  runId: string,
  type: string,
  { kind, data, isCut = false, at }: { kind: string; data: string | null; isCut?: boolean; at: number },
): string {
  const cut = isCut ? `"cut":true,` : "";
  return (
    `{"cursor":"${cursor}","runId":"${runId}","type":${JSON.stringify(type)},"kind":${JSON.stringify(kind)},` +
    `"data":${oneLine(data ?? "null")},${cut}"at":"${new Date(at).toISOString()}"}`
  );
}

export interface RingLimits {
  readonly countMax: number;
  readonly lengthMax: number;
}

/**
 * The last events that were decided, in the order of their ids, bounded in number and length: what all who watch are told from.
 *
 * Invariant: of the decided events behind `from` and up to `head`, all are here.
 */
export class EventRing {
  readonly #limits: RingLimits;
  #events: FedEvent[] = [];
  /** Of `#events`, those before are gone. */
  #first = 0;
  #length = 0;
  #from: number;
  #head: number;

  constructor(at: number, limits: RingLimits) {
    this.#limits = limits;
    this.#from = at;
    this.#head = at;
  }

  get from(): number {
    return this.#from;
  }

  get head(): number {
    return this.#head;
  }

  /** All that are decided behind the head, up to a new one. */
  append(events: readonly FedEvent[], head: number): void {
    for (const event of events) {
      this.#events.push(event);
      this.#length += event.text.length;
    }
    this.#head = head;
    const { countMax, lengthMax } = this.#limits;
    while (
      this.#events.length - this.#first > countMax ||
      (this.#length > lengthMax && this.#first < this.#events.length)
    ) {
      const gone = this.#events[this.#first++]!;
      this.#length -= gone.text.length;
      this.#from = gone.id;
    }
    if (this.#first > countMax) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Those behind an id, which is not before `from`. */
  *after(id: number): Iterable<FedEvent> {
    let [low, high] = [this.#first, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle]!.id <= id) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < this.#events.length; index++) yield this.#events[index]!;
  }
}
