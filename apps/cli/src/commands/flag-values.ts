import { lengthGiven } from "@cairnjs/schemas/length-of-time";
import { timeGiven } from "../output/times.ts";
import { UsageMistake } from "../usage-mistake.ts";

/** A value of a flag, as REST takes it; what is no such value is a mistake of whoever calls the command. */

export function momentOf(flag: string, text: string): string;
export function momentOf(flag: string, text: string | undefined): string | undefined;
export function momentOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = timeGiven(text, Date.now());
  if (time === null) throw new UsageMistake(`${flag} is a time such as 2h or 2026-11-15T21:30:00Z, not "${text}"`);
  return time;
}

export function lengthOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = lengthGiven(text);
  if (ms === null) throw new UsageMistake(`${flag} is a length of time such as 90s, 15m, 2h or 7d, not "${text}"`);
  return ms;
}

export function jsonOf(flag: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  // What is too large for a number would be sent as null.
  const checked = (_: string, value: unknown): unknown => {
    if (value === Infinity || value === -Infinity) throw new UsageMistake(`${flag}: the number is out of range`);
    return value;
  };
  try {
    return JSON.parse(text, checked) as unknown;
  } catch (error) {
    if (error instanceof UsageMistake) throw error;
    throw new UsageMistake(`${flag} is not JSON: ${(error as Error).message}`);
  }
}

/** Several, with commas between. */
export function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
