import { OutboxDispatcher, type DispatcherOptions } from "../outbox/dispatcher.ts";
import type { Channel } from "../runloop/outside.ts";
import { Scheduler, type SchedulerOptions } from "../scheduler/scheduler.ts";

/** What each process does beside its runs. Those of several processes run at the same time against one database. */
export interface Duty {
  open(): void;
  /** Starts no runs any more. */
  drain?(): Promise<void>;
  close(): Promise<void>;
  /** Another process, or this one, says that there is something to look at. */
  heard(channel: Channel): void;
}

export interface DutiesContext {
  readonly scheduler: SchedulerOptions;
  /** Null: this process publishes no events. */
  readonly outbox: DispatcherOptions | null;
}

export function openDuties({ scheduler, outbox }: DutiesContext): Duty[] {
  const duties: Duty[] = [new Scheduler(scheduler)];
  if (outbox !== null) duties.push(new OutboxDispatcher(outbox));
  for (const duty of duties) duty.open();
  return duties;
}
