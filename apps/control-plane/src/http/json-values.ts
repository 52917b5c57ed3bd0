import { Refused } from "../hub/refused.ts";
import { StoredJson } from "../stored-json.ts";

/**
 * A value that stands in a request, as it is stored: what JSON has is its own encoding. Its numbers are those that were sent, which
 * `JSON.stringify` alone does not see to: it writes -0 as 0, and as null what was too large for a number.
 */
export function textOfJson(name: string, value: unknown): string {
  try {
    return hasOddNumber(value) ? writtenJson(name, value) : JSON.stringify(value);
  } catch (error) {
    if (error instanceof Refused) throw error;
    // Whatever was read can be written, unless there are too many things within things.
    throw new Refused("InvalidMessage", `${name} is nested too deeply`, { cause: error });
  }
}

/** Takes a fifth of what reading the text took: most values have none, and are written at once. */
function hasOddNumber(value: unknown): boolean {
  const open = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === "number" && (node === 0 ? 1 / node < 0 : !Number.isFinite(node))) return true;
    if (typeof node !== "object" || node === null) continue;
    for (const part of Array.isArray(node) ? (node as unknown[]) : Object.values(node))
      if (typeof part === "number" || typeof part === "object") open.push(part);
  }
  return false;
}

function writtenJson(path: string, value: unknown): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Refused("InvalidMessage", `${path}: the number is out of range`);
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, part]) => {
    const text = writtenJson(`${path}.${key}`, part);
    return Array.isArray(value) ? text : `${JSON.stringify(key)}:${text}`;
  });
  return Array.isArray(value) ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
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
