import { isPatternFor } from "../name-pattern.ts";
import type { EventRing, FedEvent } from "./event-ring.ts";
import type { LiveBatch } from "./live-source.ts";

/** What one who watches is given at a time. */
const BATCH_MAX = 256;
const BATCH_LENGTH_MAX = 64 * 1024;

/** Which events of which runs. */
export interface EventFilter {
  readonly namespace: string;
  /** A type, or a beginning with a star behind. */
  readonly type?: string;
  readonly kinds?: readonly string[];
  readonly tag?: string;
}

/** Someone who watches all of a filter. */
export interface Follower {
  readonly filter: EventFilter;
  /** It has asked for whatever is kept. */
  readonly isFromBeginning: boolean;
  /** All up to this id were told, or are not for it. */
  position: number;
  /** It has reached the ring: should it lag behind that, it is too slow. */
  isLive: boolean;
  hungry: ((batch: LiveBatch) => void) | null;
  over: LiveBatch | null;
}

/** Null: there is nothing for it. */
export function takeFrom(ring: EventRing, follower: Follower): LiveBatch | null {
  const items: FedEvent[] = [];
  let length = 0;
  for (const event of ring.after(follower.position)) {
    if (items.length === BATCH_MAX || length > BATCH_LENGTH_MAX) return { kind: "items", items };
    follower.position = event.id;
    if (!isWanted(follower.filter, event)) continue;
    items.push(event);
    length += event.text.length;
  }
  follower.position = Math.max(follower.position, ring.head);
  return items.length === 0 ? null : { kind: "items", items };
}

export function isWanted({ namespace, type, kinds, tag }: EventFilter, event: FedEvent): boolean {
  if (event.namespace !== namespace) return false;
  if (kinds !== undefined && !kinds.includes(event.kind)) return false;
  if (tag !== undefined && !event.tags.includes(tag)) return false;
  return type === undefined || isPatternFor(type, event.type);
}
