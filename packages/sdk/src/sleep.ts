import { TIME_MAX } from "@cairnjs/ir";
import { requireOutsideOfActions } from "./action-context.ts";
import { type Duration, durationMs } from "./options.ts";
import { durablePromise, refused } from "./durable-promise.ts";

/** What setTimeout can count: 24.8 days. */
export const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** Resolves after a while, or at a date; past or negative ones resolve soon. Weeks cost nothing on the engine. */
export function sleep(duration: Duration | Date): Promise<void> {
  requireOutsideOfActions("sleep()");
  const wakeAt =
    duration instanceof Date ? duration.getTime() : Date.now() + Math.max(0, Math.ceil(durationMs(duration)));
  if (!(Math.abs(wakeAt) <= TIME_MAX)) {
    const shown = shownDuration(duration);
    return refused(new RangeError(`sleep() takes milliseconds, a duration such as "2 days", or a Date, not ${shown}`));
  }
  return durablePromise(wait(wakeAt));
}

/** As the machine says it; callers without types give anything. */
function shownDuration(duration: Duration | Date | object | null | undefined): string {
  if (duration instanceof Date) return "an invalid Date";
  if (typeof duration === "function" || (typeof duration === "object" && duration !== null)) return "an object";
  return typeof duration === "string" ? `"${duration}"` : String(duration);
}

async function wait(wakeAt: number): Promise<void> {
  for (let left = wakeAt - Date.now(); left > 0; left = wakeAt - Date.now()) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, Math.min(left, TIMEOUT_MS_MAX));
    });
  }
}
