import { readAudit } from "../store/audit-log.ts";
import { AUDIT_TABLE, type NumberedTable, RUN_EVENTS_TABLE } from "../store/event-horizon.ts";
import { readEvents } from "../store/read-events.ts";
import type { Queryable } from "../store/statement.ts";
import { type FedEvent, fedEvent } from "./event-ring.ts";

/** What a feed tells. */
export interface LiveLog {
  readonly table: NumberedTable;
  /** Rows after one id and up to another, in their order, and so many at most; without an event: there is nothing to tell. */
  readonly read: (client: Queryable, after: number, upTo: number, limit: number) => Promise<readonly LoggedRow[]>;
  readonly ring: { readonly countMax: number; readonly lengthMax: number };
}

interface LoggedRow {
  readonly id: number;
  readonly event: FedEvent | null;
}

/** What happens to runs. */
export const RUN_LOG: LiveLog = {
  table: RUN_EVENTS_TABLE,
  read: async (client, after, upTo, limit) =>
    (await readEvents(client, after, upTo, limit)).map((row) => ({ id: row.id, event: fedEvent(row) })),
  ring: { countMax: 10_000, lengthMax: 16 * 1024 * 1024 },
};

/** What people do. */
export const AUDIT_LOG: LiveLog = {
  table: AUDIT_TABLE,
  read: async (client, after, upTo, limit) =>
    (await readAudit(client, after, upTo, limit)).map(({ namespace, at, detail, ...row }) => {
      const cursor = String(row.id);
      const entry = { cursor, ...row, at: new Date(at).toISOString(), detail: JSON.parse(detail) as unknown };
      const about = { id: row.id, runId: row.runId ?? "", namespace, type: row.action, tags: [], kind: row.action };
      return { id: row.id, event: { ...about, cursor, text: JSON.stringify(entry) } };
    }),
  ring: { countMax: 1_000, lengthMax: 2 * 1024 * 1024 },
};
