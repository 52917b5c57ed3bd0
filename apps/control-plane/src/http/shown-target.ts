import { includesScope, type SubscriptionTarget } from "@cairnjs/schemas";
import type { Caller } from "../access/caller.ts";

const HIDDEN = "***";

/** Headers that say who asks, whatever they are called. */
const TELLING = /auth|cookie|token|secret|key|password|signature/i;

/** Where events go, for this caller: what was written there as it is, and not named as a secret, may be one, and is for those who may set it. */
export function shownTarget(target: SubscriptionTarget, { scopes }: Pick<Caller, "scopes">): SubscriptionTarget {
  return includesScope(scopes, "admin") ? hidden(target, (name) => TELLING.test(name)) : toldTarget(target);
}

/** Where events go, for everyone: without the values of an address and of headers. */
export function toldTarget(target: SubscriptionTarget): SubscriptionTarget {
  const told = hidden(target, () => true);
  return "url" in told ? { ...told, url: withoutValues(told.url) } : told;
}

function hidden(target: SubscriptionTarget, isHidden: (name: string) => boolean): SubscriptionTarget {
  if (target.kind !== "webhook" || target.headers === undefined) return target;
  const headers = Object.entries(target.headers).map(([name, value]) => {
    return [name, typeof value === "string" && isHidden(name) ? HIDDEN : value];
  });
  return { ...target, headers: Object.fromEntries(headers) };
}

/** `https://example.com/hooks?key=***`: what stands there without a name is a value. */
function withoutValues(url: string): string {
  const [before = "", query] = url.split("#", 1)[0]!.split(/\?(.*)/s, 2);
  if (query === undefined) return before;
  const parts = query.split("&").map((part) => (part.includes("=") ? part.replace(/=.*/s, `=${HIDDEN}`) : HIDDEN));
  return `${before}?${parts.join("&")}`;
}
