import type { NewRun } from "./start-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** What makes starts one run, or a run too late; in milliseconds. */
export interface StartShape {
  readonly debounce: { readonly key: string; readonly delay: number; readonly max?: number } | null;
  readonly deduplicate: { readonly key: string; readonly for: number } | null;
  readonly ttl: number | null;
  /** Beside those of the version. */
  readonly tags: readonly string[];
}

/** Someone's transaction may hold a key for as long as it likes: whoever starts runs does not wait for it. */
const LOCK_TIMEOUT_MS = 200;

/** The input was checked. */
const START = statement(
  "start_shaped",
  `WITH settings AS MATERIALIZED (SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true) IS NOT NULL AS made)
  SELECT s.run AS id, s.existed FROM settings CROSS JOIN LATERAL
    cairn.start_as($1, $2::text::json, decode($3, 'hex'), $4::jsonb, made) AS s`,
);

/** One run, in a transaction of its own. */
export async function startShaped(
  client: Queryable,
  run: NewRun,
  { debounce, deduplicate, ttl, tags }: StartShape,
): Promise<{ readonly id: string; readonly existed: boolean }> {
  const {
    id,
    namespace,
    version,
    priority,
    maxAttempts,
    idempotencyKey,
    deadLetterType,
    runAt,
    deadline,
    traceparent,
  } = run;
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  const options = {
    id,
    namespace,
    version,
    priority,
    maxAttempts,
    idempotencyKey,
    deadLetterType,
    tags,
    runAt: time(runAt),
    deadline: time(deadline),
    debounce,
    deduplicate,
    ttl,
    traceparent,
  };
  const stored = run.payloadReference ?? run.payload;
  const values = [run.type, stored, run.payloadDigest, JSON.stringify(options)];
  return (await ask<{ id: string; existed: boolean }>(client, START, values))[0]!;
}

const END_EXPIRED = statement("end_expired", "SELECT cairn.end_expired() AS count");
const FORGET = statement(
  "forget_start_keys",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment), same AS (
    DELETE FROM cairn.deduplication_keys AS k WHERE k.expires_at < (SELECT moment FROM clock)
  ) DELETE FROM cairn.debounce_keys AS k WHERE k.due_at < (SELECT moment - interval '1 hour' FROM clock)
    AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = k.run_id AND q.started_at IS NULL)`,
);

/** Ends runs that have not begun in time. Returns how many. */
export async function endExpired(client: Queryable): Promise<number> {
  return (await ask<{ count: number }>(client, END_EXPIRED))[0]!.count;
}

/** Keys that no start will ask for. */
export async function forgetStartKeys(client: Queryable): Promise<void> {
  await ask(client, FORGET);
}
