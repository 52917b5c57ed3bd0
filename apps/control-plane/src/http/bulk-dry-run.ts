import { type BulkAction, type BulkRunsAnswer, COUNTED_MAX } from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { wouldRefuse } from "../store/bulk-orders.ts";
import { findRunIds, type FoundIds, summariesOf } from "../store/list-runs.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { BulkRefusals, detailOf, IDS_SHOWN } from "./bulk-refusals.ts";
import type { RestContext } from "./rest.ts";
import { summaryOf } from "./run-views.ts";

const SAMPLE = 10;
/** Runs that are counted in one look, and how long it goes on. */
const COUNTED_AT_A_TIME = 5_000;
const COUNTING_MS_MAX = 2_000;

/** What would come of an order, as the runs are now. Some of the looks at least: as long as it may, and as there is someone to hear it. */
export async function dryRun(
  { engine: { client } }: RestContext,
  namespace: string,
  action: BulkAction,
  filter: RunFilter,
  { raw }: FastifyRequest,
): Promise<BulkRunsAnswer> {
  const refusals = new BulkRefusals();
  const first: string[] = [];
  let matched = 0;
  let after: string | null = null;
  const until = performance.now() + COUNTING_MS_MAX;
  while (matched < COUNTED_MAX && performance.now() < until && !raw.socket.destroyed) {
    const limit = Math.min(COUNTED_AT_A_TIME, COUNTED_MAX - matched);
    const { ids, next }: FoundIds = await findRunIds(client, namespace, filter, { after, oldestFirst: false, limit });
    matched += ids.length;
    first.push(...ids.slice(0, SAMPLE - first.length));
    if (ids.length > 0)
      for (const { code, count, ids: some, status } of await wouldRefuse(client, action, ids, IDS_SHOWN))
        refusals.add(code, count, some, detailOf(code, some[0]!, status));
    after = next;
    if (after === null) break;
  }
  const [done, refused] = [matched - refusals.count, refusals.all];
  const sample = (await summariesOf(client, first)).map(summaryOf);
  return { matched, done, refused, sample, next: after };
}
