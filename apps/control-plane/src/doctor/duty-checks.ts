import type { Queryable } from "../store/statement.ts";
import { lengthOfTime } from "@cairnjs/schemas";
import { counted, type Finding, ok, problem, warning } from "./finding.ts";

/** Of what processes do beside runs: schedules, events for others, and retention. */

const SHOWN_MAX = 20;
/** What is due or written is looked at within seconds, if somebody is there. */
const LATE_MS = 60_000;

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 200);
}

interface ScheduleRow {
  readonly namespace: string;
  readonly type: string;
  readonly name: string;
  readonly error: string | null;
  /** How long it has been due. */
  readonly late: number;
  readonly total: number;
}

export async function checkSchedules(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<ScheduleRow & Record<string, unknown>>(
    `WITH judged AS MATERIALIZED (
      SELECT s.namespace, s.type, s.name, s.last_error AS error,
        (extract(epoch FROM clock.moment - s.next_run_at) * 1000)::float8 AS late
      FROM (SELECT cairn.now() AS moment) AS clock, cairn.schedules AS s
      WHERE s.status = 'active' AND (s.last_error IS NOT NULL OR s.next_run_at < clock.moment - $1::float8 * interval '1 ms'))
    SELECT *, (SELECT count(*)::int FROM judged) AS total FROM judged ORDER BY late DESC, namespace, type, name LIMIT ${SHOWN_MAX}`,
    [LATE_MS],
  );
  if (rows.length === 0) return ok("schedules", "No schedule is late, and all can start");
  const details = rows.map(({ namespace, type, name, error, late }) => {
    const why = error === null ? `due for ${lengthOfTime(late)}: is there a control plane?` : firstLine(error);
    return `${namespace} ${type} ${name}: ${why}`;
  });
  const says = `${counted(rows[0]!.total, "schedule")} cannot start what is due`;
  return rows.some(({ error }) => error === null)
    ? problem("schedules", says, details)
    : warning("schedules", says, details);
}

interface OutboxRow {
  readonly pending: number;
  readonly age: number | null;
  readonly dead: number;
  readonly dispatchers: number;
}

export async function checkOutbox(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<OutboxRow & Record<string, unknown>>(
    `SELECT count(e.id)::int AS pending, (extract(epoch FROM cairn.now() - min(e.created_at)) * 1000)::float8 AS age,
      (SELECT count(*)::int FROM cairn.outbox_backlog AS b WHERE b.dead_at IS NOT NULL) AS dead,
      (SELECT count(*)::int FROM cairn.outbox_dispatchers AS d WHERE d.expires_at > cairn.now()) AS dispatchers
    FROM cairn.outbox_events AS e WHERE NOT e.passed AND e.published_at IS NULL`,
  );
  const { pending, age, dead, dispatchers } = rows[0]!;
  const who = dispatchers === 0 ? "nobody publishes" : `published by ${counted(dispatchers, "process", "processes")}`;
  if (age !== null && age > LATE_MS) {
    const says = `${counted(pending, "event")} not offered to anybody, the oldest for ${lengthOfTime(age)}; ${who}`;
    return problem("outbox", `${says}: start a control plane without CAIRN_OUTBOX=off`);
  }
  if (dead > 0) {
    const says = `${counted(dead, "dead letter")}: cairn outbox list --state dead, then redrive or discard`;
    return warning("outbox", says);
  }
  return ok("outbox", `No event waits for long; ${who}`);
}

/** It is done every hour, if nobody has said otherwise. */
const RETENTION_LATE_MS = 2 * 24 * 60 * 60 * 1_000;

export async function checkRetention(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ age: number; done: boolean; role: string; owns: boolean }>(
    `SELECT current_user::text AS role, (SELECT bool_and(pg_has_role(c.relowner, 'USAGE')) FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = 'cairn'::regnamespace AND c.relkind IN ('r', 'p')) AS owns,
      m.done_at IS NOT NULL AS done, (extract(epoch FROM cairn.now() - coalesce(m.done_at, i.since)) * 1000)::float8 AS age
    FROM cairn.incarnation AS i LEFT JOIN cairn.maintenance AS m ON m.task = 'retention'`,
  );
  const { age, done, role, owns } = rows[0]!;
  const ago = `${lengthOfTime(Math.max(0, age))} ago`;
  if (!owns) {
    const says = `${role} does not own all tables of the schema cairn`;
    return warning(
      "retention",
      `${says}: a process that connects as ${role} can neither make partitions for coming weeks nor give back space`,
    );
  }
  if (age > RETENTION_LATE_MS) {
    const since = done ? `was last removed ${ago}` : "was never removed";
    const unless = "unless CAIRN_RETENTION_EVERY is longer than that";
    return warning("retention", `What is over ${since}: start a control plane without CAIRN_RETENTION=off, ${unless}`);
  }
  return ok("retention", done ? `What was over was removed ${ago}` : "Nothing was looked for yet that is over");
}

interface SubscriberRow {
  readonly namespace: string;
  readonly name: string;
  readonly paused: string | null;
  readonly since: number | null;
  readonly error: string | null;
  readonly waiting: number;
  readonly total: number;
}

export async function checkSubscribers(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<SubscriberRow & Record<string, unknown>>(
    `SELECT s.namespace, s.name, CASE s.status WHEN 'paused' THEN coalesce(s.paused_reason, '') END AS paused,
      (extract(epoch FROM cairn.now() - s.failing_since) * 1000)::float8 AS since, s.last_error AS error,
      (SELECT count(*)::int FROM cairn.outbox_backlog AS b WHERE b.subscription = s.id AND b.dead_at IS NULL) AS waiting,
      (count(*) OVER ())::int AS total
    FROM cairn.subscriptions AS s WHERE s.status = 'paused' OR s.failing_since IS NOT NULL
    ORDER BY s.failing_since, s.namespace, s.name LIMIT ${SHOWN_MAX}`,
  );
  if (rows.length === 0) return ok("subscriptions", "No subscriber is down");
  const details = rows.map(({ namespace, name, paused, since, error, waiting }) => {
    const how =
      paused === null
        ? `down for ${lengthOfTime(Math.max(0, since ?? 0))} (${firstLine(error ?? "")})`
        : `paused (${firstLine(paused)})`;
    return `${namespace} ${name}: ${how}, ${counted(waiting, "event")} waiting`;
  });
  return warning("subscriptions", `${counted(rows[0]!.total, "subscriber")} down or paused`, details);
}
