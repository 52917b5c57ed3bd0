/** What was done: for reports, and for /metrics. Numbers only grow. */
export interface Maintained {
  runsRemoved: number;
  runsArchived: number;
  eventsRemoved: number;
  outboxRemoved: number;
  auditRemoved: number;
  blobsRemoved: number;
  partitionsRewritten: number;
  partitionsDropped: number;
}

export function nothingDone(): Maintained {
  return {
    runsRemoved: 0,
    runsArchived: 0,
    eventsRemoved: 0,
    outboxRemoved: 0,
    auditRemoved: 0,
    blobsRemoved: 0,
    partitionsRewritten: 0,
    partitionsDropped: 0,
  };
}

export function addDone(sum: Maintained, done: Maintained): void {
  for (const name of Object.keys(done) as (keyof Maintained)[]) sum[name] += done[name];
}
