import type { Queryable } from "../store/statement.ts";
import { lengthOfTime } from "@cairnjs/schemas";
import { counted, type Finding, ok, problem, warning } from "./finding.ts";

/** Of runs, and of who holds them. */

export async function checkOwners(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ planes: number; owners: number; expired: number; live: number }>(
    `SELECT (SELECT count(*)::int FROM cairn.control_planes WHERE expires_at > cairn.now()) AS planes,
      (SELECT count(*)::int FROM cairn.owners WHERE expires_at > cairn.now()) AS owners,
      (SELECT count(*)::int FROM cairn.owners WHERE expires_at <= cairn.now()) AS expired,
      (SELECT count(*)::int FROM cairn.queue) AS live`,
  );
  const { planes, owners, expired, live } = rows[0]!;
  const says = `${counted(planes, "process", "processes")} and ${counted(owners, "runloop")} keep their leases; ${counted(live, "run")} not ended`;
  if (owners === 0 && live > 0) return problem("owners", `${says}: start a control plane (cairn start)`);
  if (expired > 0) return warning("owners", `${says}; ${counted(expired, "lease")} expired and not taken over yet`);
  return ok("owners", says);
}

const SHOWN_MAX = 20;
/** What lasts for longer does not mend itself. */
const STUCK_MS = 60_000;

interface StuckRow {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly why: keyof typeof REASONS;
  readonly what: string | null;
  readonly age: number;
  readonly total: number;
}

/** Why a run does not go on, and what to do. */
const REASONS = {
  crashes: "it has taken its process down again and again, and is tried alone",
  ownerless: "whoever held it is gone, and nobody has taken it over",
  format: "it was written by a later release: start that one",
  unclaimed: "it is ready, and nobody claims it: is there a control plane, and a worker for it with room?",
  asleep: "it was due, and nobody wakes it: is there a control plane?",
  mail: "nobody reads its mail: is there a control plane?",
  operator: "it waits for an operator: cairn runs resume, retry, rollback or cancel",
} as const;

const STUCK = `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment, $1::float8 * interval '1 ms' AS long),
  newest AS MATERIALIZED (SELECT max(o.format) AS format FROM cairn.owners AS o, clock WHERE o.expires_at > clock.moment),
  judged AS (
    SELECT q.run_id, q.last_error, q.waiting_for, q.ready_at, CASE
      WHEN q.crashes >= 2 THEN 'crashes'
      WHEN q.state = 'held' AND coalesce(o.expires_at, '-infinity') < moment - long THEN 'ownerless'
      WHEN q.state = 'ready' AND q.format > (SELECT format FROM newest) THEN 'format'
      WHEN q.state = 'ready' AND q.ready_at < moment - long AND q.waiting_for IS NULL THEN 'unclaimed'
      WHEN q.state = 'parked' AND q.wake_at < moment - long THEN 'asleep'
      WHEN q.phase = 'paused' AND q.waiting_for = 'an operator' THEN 'operator'
      WHEN q.state <> 'held' AND q.phase <> 'paused' AND EXISTS (
        SELECT FROM cairn.mailbox AS m WHERE m.run_id = q.run_id AND m.sent_at < moment - long) THEN 'mail'
    END AS why
    FROM clock, cairn.queue AS q LEFT JOIN cairn.owners AS o ON o.id = q.owner
  ), stuck AS MATERIALIZED (SELECT * FROM judged WHERE why IS NOT NULL)
  SELECT r.id, r.namespace, r.type, s.why, s.last_error AS what, (extract(epoch FROM moment - s.ready_at) * 1000)::float8 AS age,
    (SELECT count(*)::int FROM stuck) AS total
  FROM clock, stuck AS s JOIN cairn.runs AS r ON r.id = s.run_id ORDER BY s.ready_at LIMIT ${SHOWN_MAX}`;

export async function checkStuck(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<StuckRow & Record<string, unknown>>(STUCK, [STUCK_MS]);
  if (rows.length === 0) return ok("stuck", "No run is stuck");
  const details = rows.map(({ id, namespace, type, why, what, age }) => {
    const error = what === null ? "" : ` (${what.split("\n", 1)[0]!.slice(0, 200)})`;
    return `${id} ${namespace} ${type}, for ${lengthOfTime(Math.max(0, age))}: ${REASONS[why]}${error}`;
  });
  return problem("stuck", `${counted(rows[0]!.total, "run")} stuck`, details);
}

export async function checkUnserved(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ namespace: string; what: string; count: number }>(
    `SELECT r.namespace, q.waiting_for AS what, count(*)::int AS count
    FROM cairn.queue AS q JOIN cairn.runs AS r ON r.id = q.run_id
    WHERE q.waiting_for LIKE 'a worker %' GROUP BY 1, 2 ORDER BY count DESC, 1, 2 LIMIT ${SHOWN_MAX}`,
  );
  if (rows.length === 0) return ok("unserved", "No run waits for a worker that is not there");
  const details = rows.map(({ namespace, what, count }) => `${namespace}: ${counted(count, "run")} for ${what}`);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return warning(
    "unserved",
    `${counted(total, "run")} waiting for workers: start these, with CAIRN_TYPE_PREFIXES`,
    details,
  );
}
