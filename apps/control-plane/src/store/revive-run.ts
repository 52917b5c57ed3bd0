import type { LetterKey } from "./mail.ts";
import { ask, type Queryable, statement } from "./statement.ts";

const RETRY = statement("retry_run", "SELECT cairn.retry_run($1, $2) AS done");

/** A failed run begins again. False if it has not failed, or was deleted. Under the same key it is asked for once. */
export async function retryRun(client: Queryable, id: string, key: string): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, RETRY, [id, key]))[0]!.done;
}

const ROLL_BACK = statement(
  "roll_back_run",
  "SELECT cairn.roll_back_run($1, $2::text::json, $3, decode($4, 'hex')) AS done",
);

/** A run is to return to an earlier state, whether it lives or has ended. False if it was deleted. */
export async function rollBackRun(
  client: Queryable,
  id: string,
  order: string,
  { key, digest }: LetterKey,
): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, ROLL_BACK, [id, order, key, digest]))[0]!.done;
}
