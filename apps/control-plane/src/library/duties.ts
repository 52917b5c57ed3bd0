import { OutboxDispatcher } from "../outbox/dispatcher.ts";
import type { EventSink } from "../outbox/event-sink.ts";
import type { Channel } from "../runloop/outside.ts";

/** What each process does beside its runs. Those of several processes run at the same time against one database. */
export interface Duty {
  open(): void;
  close(): Promise<void>;
  /** Another process, or this one, says that there is something to look at. */
  heard?(channel: Channel): void;
}

export interface DutiesContext {
  readonly url: string;
  readonly address: string;
  readonly leaseMs: number;
  /** Whether this process publishes events. */
  readonly dispatches: boolean;
  readonly ports: Readonly<Record<string, EventSink>>;
  readonly warn: (message: string, error: unknown) => void;
}

export function openDuties({ dispatches, ...context }: DutiesContext): Duty[] {
  const duties: Duty[] = [];
  if (dispatches) duties.push(new OutboxDispatcher({ ...context, random: Math.random }));
  for (const duty of duties) duty.open();
  return duties;
}
