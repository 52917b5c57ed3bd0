import { OutboxDispatcher, type DispatcherOptions } from "../outbox/dispatcher.ts";
import { Maintenance, type MaintenanceOptions } from "../maintenance/maintenance.ts";
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
  readonly maintenance: MaintenanceOptions;
}

export interface Duties {
  readonly all: readonly Duty[];
  readonly maintenance: Maintenance;
}

export function openDuties({ scheduler, outbox, maintenance: about }: DutiesContext): Duties {
  const maintenance = new Maintenance(about);
  const all: Duty[] = [new Scheduler(scheduler), maintenance];
  if (outbox !== null) all.push(new OutboxDispatcher(outbox));
  for (const duty of all) duty.open();
  return { all, maintenance };
}
