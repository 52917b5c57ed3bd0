import { Refused } from "../hub/refused.ts";

/** A value that stands in a request, as it is stored: what JSON has is its own encoding. */
export function textOfJson(name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Whatever was read can be written, unless there are too many things within things.
    throw new Refused("InvalidMessage", `${name} is nested too deeply`, { cause: error });
  }
}

/** A value for an answer. */
export function jsonOfText(text: string): unknown {
  return JSON.parse(text);
}

export function jsonOrNull(text: string | null): unknown {
  return text === null ? null : jsonOfText(text);
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeOf(ms);
}
