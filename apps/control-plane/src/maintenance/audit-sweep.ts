import { kindsOfAudit, removeAudit } from "../store/audit-log.ts";
import { Pace } from "./pace.ts";
import { overBefore, type Pass } from "./pass.ts";

const PACE = { first: 1_000, least: 100, most: 10_000 };

/** Removes what was done long enough ago. */
export async function sweepAudit(pass: Pass): Promise<void> {
  const { client, now, keeps, done } = pass;
  const pace = new Pace(PACE, pass.signal);
  for (const kind of await kindsOfAudit(client)) {
    const before = overBefore(now, keeps.of("audit", kind.namespace, kind.action));
    for (let isMore = before !== null; isMore;) {
      await pass.keepTask();
      isMore = await pace.piece(async (size) => {
        const removed = await removeAudit(client, kind, before!, size);
        done.auditRemoved += removed;
        return removed === size;
      });
    }
  }
}
