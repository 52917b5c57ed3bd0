import { Refused } from "../hub/refused.ts";
import { StoredJson } from "../stored-json.ts";

/** A value that stands in a request, as it is stored: what JSON has is its own encoding. */
export function textOfJson(name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Whatever was read can be written, unless there are too many things within things.
    throw new Refused("InvalidMessage", `${name} is nested too deeply`, { cause: error });
  }
}

export function storedOrNull(text: string | null): StoredJson | null {
  return text === null ? null : new StoredJson(text);
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms);
}
