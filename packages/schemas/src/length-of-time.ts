/** Lengths of time as people write and read them. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const LENGTH = /^(\d{1,12})\s*(ms|s|m|min|h|d|w)$/;

/** `90s`, `15m`, `2h`, `7d`, `4w`, in milliseconds; null: it is none. */
export function lengthGiven(text: string): number | null {
  const [, count, unit] = LENGTH.exec(text.trim()) ?? [];
  return unit === undefined ? null : Number(count) * UNITS_MS[unit]!;
}

const SHOWN = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** About how long it is, in the largest unit that there is one of. */
export function lengthOfTime(ms: number): string {
  for (const [length, unit] of SHOWN) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.round(ms)} ms`;
}

/** Of a length that counts, nothing is left out. */
export function exactLength(ms: number): string {
  for (const [length, unit] of SHOWN) if (ms >= length && ms % length === 0) return `${ms / length} ${unit}`;
  return `${ms} ms`;
}
