import type { SubscriptionTarget } from "@cairnjs/schemas";

/** Headers that say who asks, whatever they are called. */
const TELLING = /auth|cookie|token|secret|key|password|signature/i;

/** Where events go, without what looks like a secret that was written there. */
export function shownTarget(target: SubscriptionTarget): SubscriptionTarget {
  if (target.kind !== "webhook" || target.headers === undefined) return target;
  const headers = Object.entries(target.headers).map(([name, value]) => {
    return [name, typeof value === "string" && TELLING.test(name) ? "***" : value];
  });
  return { ...target, headers: Object.fromEntries(headers) };
}
