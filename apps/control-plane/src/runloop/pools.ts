/** What says where runs of a version are claimed from. */
interface Claimable {
  readonly name: string;
  readonly kind: "workflow" | "action";
  /** How long its runs stay with an owner that says nothing, if that is not as usual. */
  readonly leaseMs: number | null;
}

/**
 * Where runs are claimed from: of jobs, by the first segment of their type; workflows need no worker. Runs with a lease of
 * another length have pools of their own, since they have owners of their own.
 */
export function poolOf(namespace: string, { name, kind, leaseMs }: Claimable): string {
  const lease = leaseMs === null ? "" : `@${leaseMs}:`;
  return `${namespace}:${lease}${kind === "action" ? name.split(".")[0] : "*"}`;
}

/** Workflows themselves run on the control plane; it is their calls that wait for a worker. */
export function needsWorker(pool: string): boolean {
  return !pool.endsWith(":*");
}

/** In a room: where it is 0, workflows are left to others. */
export function workflowsOf(namespace: string): string {
  return `${namespace}:*`;
}

/** It has no colon. */
export function namespaceOfPool(pool: string): string {
  return pool.slice(0, pool.indexOf(":"));
}

/** What workers are found by: its namespace, and the first segment of its jobs' types. */
export function servedAs(pool: string): string {
  return pool.replace(/^([^:]*):@\d+:/, "$1:");
}

/** In a room by `servedAs`: as many as there is room for in all, which is said by `SharedCells.room`. */
export const ROOM_OF_ALL = Number.POSITIVE_INFINITY;

/**
 * How many jobs the workers could take: in all, or by `servedAs`, where the entry of the namespace and a colon is for all
 * segments that have none.
 */
export type Room = number | ReadonlyMap<string, number>;

/**
 * What one of several runloops is told. At least one where there is any, since jobs may be of a lease that only this one serves; what
 * a runloop leaves of its share is divided again with the next room that is said.
 */
export function shareOf(room: Room, runloops: number): Room {
  const share = (count: number): number => Math.ceil(count / runloops);
  return typeof room === "number" ? share(room) : new Map(Array.from(room, ([entry, count]) => [entry, share(count)]));
}

/** Null: the usual one. */
export function leaseOfPool(pool: string): number | null {
  const found = /^[^:]*:@(\d+):/.exec(pool);
  return found === null ? null : Number(found[1]);
}

/** Which pools a runloop serves, among the runloops of its process. */
export interface ServedLeases {
  /** The length that it serves; null: the usual one, and those that no other runloop of the process serves. */
  readonly own: number | null;
  readonly others: readonly number[];
}

export function servesLease({ own, others }: ServedLeases, pool: string): boolean {
  const lease = leaseOfPool(pool);
  return own === null ? lease === null || !others.includes(lease) : lease === own;
}
