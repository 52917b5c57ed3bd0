import type { RunHandle } from "../../src/index.ts";
import { registeredJob } from "../../src/library/registered-job.ts";
import { registerJobs } from "../../src/store/register-jobs.ts";
import { refunds, type Refund } from "../workflows/jobs.ts";
import { type TestBed, until } from "./test-engine.ts";

/** The execution of a refund of this order, once it has begun. */
export function refundOf(order: string, attempt = 1): Promise<Refund> {
  return until(async () => refunds.find((each) => each.order === order && each.attempt === attempt));
}

export function triesOf(order: string): number {
  return refunds.filter((each) => each.order === order).length;
}

/** What people see of a run, in SQL. */
export async function rowOf(bed: TestBed, { id }: Pick<RunHandle, "id">): Promise<Record<string, unknown>> {
  return (await bed.query("SELECT * FROM cairn.workflow_run WHERE id = $1", id))[0]!;
}

export function untilRow(
  bed: TestBed,
  run: Pick<RunHandle, "id">,
  is: (row: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  return until(async () => {
    const row = await rowOf(bed, run);
    return is(row) && row;
  });
}

export async function eventsOf(bed: TestBed, { id }: Pick<RunHandle, "id">): Promise<unknown[]> {
  const rows = await bed.query("SELECT event_type FROM cairn.workflow_event WHERE workflow_id = $1 ORDER BY id", id);
  return rows.map((row) => row["event_type"]);
}

/** What another process has declared. */
export function declareElsewhere(bed: TestBed, ...names: readonly string[]): Promise<void> {
  return registerJobs(
    bed.sql,
    "default",
    names.map((name) => registeredJob(name, 3, null)),
  );
}
