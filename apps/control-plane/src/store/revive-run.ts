import { ask, type Queryable, statement } from "./statement.ts";

const RETRY = statement("retry_run", "SELECT cairn.retry_run($1) AS done");

/** A failed run begins again. False if it has not failed, or was deleted. */
export async function retryRun(client: Queryable, id: string): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, RETRY, [id]))[0]!.done;
}

const ROLL_BACK = statement(
  "roll_back_ended",
  `WITH revived AS MATERIALIZED (SELECT cairn.revive_run($1, NULL, 0) AS done), letter AS (
    INSERT INTO cairn.mailbox (run_id, kind, value, sent_at)
    SELECT $1, 'rollback', $2::text::json, cairn.now() FROM revived WHERE done
  ) SELECT done FROM revived`,
);

/** A run that has ended returns to an earlier state. False if it lives, or was deleted. */
export async function rollBackEnded(client: Queryable, id: string, order: string): Promise<boolean> {
  return (await ask<{ done: boolean }>(client, ROLL_BACK, [id, order]))[0]!.done;
}
