import { ask, type Queryable, statement } from "./statement.ts";

const CANCEL = statement("cancel_run", "SELECT cairn.cancel_run($1, $2) AS done");
const DELETE = statement("delete_run", "SELECT cairn.delete_run($1, $2) AS done");

/** False if the run has ended. */
export async function cancelRun(client: Queryable, id: string, reason: string): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, CANCEL, [id, reason]))[0]!.done;
}

/** False if there is no such run, or it was deleted before. */
export async function deleteRun(client: Queryable, id: string, reason: string | null): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, DELETE, [id, reason]))[0]!.done;
}

const RESTORE = statement("restore_run", "SELECT cairn.restore_run($1) AS done");

/** False if it is not deleted, or not there. */
export async function restoreRun(client: Queryable, id: string): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, RESTORE, [id]))[0]!.done;
}
