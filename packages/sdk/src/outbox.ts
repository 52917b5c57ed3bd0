import { encodeCopy } from "./copy.ts";
import { currentRun } from "./run-context.ts";

/** How far the run is, for people who look at it. */
export function progress(value: unknown): void {
  currentRun("progress");
  encodeCopy(value, "value");
}

/** An event for the outside world, published once the run's state is durable. */
export function emit(type: string, data?: unknown): void {
  currentRun("emit");
  if (typeof type !== "string") throw new TypeError("emit() takes a type and its data");
  encodeCopy(data, "data");
}
