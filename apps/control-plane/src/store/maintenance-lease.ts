import { ask, type Queryable, statement } from "./statement.ts";

const LEASE = statement("lease_task", "SELECT cairn.lease_task($1, $2, $3) AS leased");

/** Keeps a task, or takes it if nobody has it. False: another process has it. */
export async function leaseTask(client: Queryable, task: string, holder: string, leaseMs: number): Promise<boolean> {
  return (await ask<{ leased: boolean }>(client, LEASE, [task, holder, leaseMs]))[0]!.leased;
}

const DONE = statement(
  "task_done",
  `UPDATE cairn.maintenance SET expires_at = cairn.now(), done_at = cairn.now(), report = $3::text::json
  WHERE task = $1 AND holder = $2`,
);

/** Gives it back, and says what came of it. */
export async function taskDone(client: Queryable, task: string, holder: string, report: string): Promise<void> {
  await ask(client, DONE, [task, holder, report]);
}

const RELEASE = statement(
  "release_task",
  "UPDATE cairn.maintenance SET expires_at = cairn.now() WHERE task = $1 AND holder = $2",
);

export async function releaseTask(client: Queryable, task: string, holder: string): Promise<void> {
  await ask(client, RELEASE, [task, holder]);
}

const LAST = statement(
  "task_last_done",
  "SELECT done_at AS at, report FROM cairn.maintenance WHERE task = $1 AND done_at IS NOT NULL",
);

export async function lastDone(
  client: Queryable,
  task: string,
): Promise<{ readonly at: number; readonly report: string } | null> {
  return (await ask<{ at: number; report: string }>(client, LAST, [task]))[0] ?? null;
}
