/** Where runs of a type are claimed from: of jobs, by the first segment of their type; workflows need no worker. */
export function poolOf(namespace: string, type: string, kind: "workflow" | "action"): string {
  return `${namespace}:${kind === "action" ? type.split(".")[0] : "*"}`;
}

/** Workflows themselves run on the control plane; it is their calls that wait for a worker. */
export function needsWorker(pool: string): boolean {
  return !pool.endsWith(":*");
}

/** It has no colon. */
export function namespaceOfPool(pool: string): string {
  return pool.slice(0, pool.indexOf(":"));
}
