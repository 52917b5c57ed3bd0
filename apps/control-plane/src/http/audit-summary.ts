import type { AuditSummary, AuditWindow } from "@cairnjs/schemas/rest";
import { timeOf } from "./json-values.ts";
import { type AuditCount, countAudit } from "../store/audit-log.ts";
import type { Queryable } from "../store/statement.ts";

const HOUR_MS = 3_600_000;

/** How long they are, and in how many parts they are told. */
const WINDOWS: Readonly<Record<AuditWindow, { readonly ms: number; readonly buckets: number }>> = {
  "1h": { ms: HOUR_MS, buckets: 12 },
  "6h": { ms: 6 * HOUR_MS, buckets: 12 },
  "24h": { ms: 24 * HOUR_MS, buckets: 24 },
  "7d": { ms: 7 * 24 * HOUR_MS, buckets: 28 },
};
const NAMES_MAX = 100;

/** What was done in a namespace in the time before now. */
export async function summarizeAudit(
  client: Queryable,
  namespace: string,
  window: AuditWindow,
  now: number,
): Promise<AuditSummary> {
  const { ms, buckets } = WINDOWS[window];
  // What was done in this millisecond is in it.
  const until = Math.floor(now) + 1;
  const since = until - ms;
  const bucketMs = ms / buckets;
  const counts = await countAudit(client, namespace, {
    since: new Date(since),
    until: new Date(until),
    bucketMs,
    buckets,
  });
  const total = sum(counts);
  return {
    window,
    since: timeOf(since),
    until: timeOf(until),
    total: total.done + total.refused,
    refused: total.refused,
    actions: most(counts, ({ action }) => action).map(([action, of]) => ({ action, ...sum(of) })),
    callers: most(counts, ({ who }) => who).map(([who, of]) => ({
      who,
      ...sum(of),
      lastAt: timeOf(Math.max(...of.map(({ lastAt }) => lastAt))),
    })),
    buckets: Array.from({ length: buckets }, (_, index) => ({
      from: timeOf(since + index * bucketMs),
      ...sum(counts.filter(({ bucket }) => bucket === index)),
    })),
  };
}

function sum(counts: readonly AuditCount[]): { done: number; refused: number } {
  return counts.reduce((all, { done, refused }) => ({ done: all.done + done, refused: all.refused + refused }), {
    done: 0,
    refused: 0,
  });
}

/** Those with most of it first. */
function most(counts: readonly AuditCount[], nameOf: (count: AuditCount) => string): [string, AuditCount[]][] {
  const size = (of: readonly AuditCount[]): number => sum(of).done + sum(of).refused;
  const groups = new Map<string, AuditCount[]>();
  for (const count of counts) {
    const group = groups.get(nameOf(count));
    if (group === undefined) groups.set(nameOf(count), [count]);
    else group.push(count);
  }
  return [...groups].toSorted(([, a], [, b]) => size(b) - size(a)).slice(0, NAMES_MAX);
}
