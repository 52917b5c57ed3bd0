import { Scheduler, type SchedulerOptions } from "../scheduler/scheduler.ts";

/** What a process does beside runs; several do it at the same time. */
export interface Duty {
  open(): void;
  /** There is news. */
  poke?(): void;
  close(): Promise<void>;
}

export function openDuties(context: SchedulerOptions): Duty[] {
  const duties: Duty[] = [new Scheduler(context)];
  for (const duty of duties) duty.open();
  return duties;
}
