const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** How long ago it was, or how soon it will be. */
export function relativeTime(time: string | null, now: number): string {
  if (time === null) return "";
  const ms = now - Date.parse(time);
  const length = lengthOfTime(Math.abs(ms));
  return ms < 0 ? `in ${length}` : `${length} ago`;
}

export function lengthOfTime(ms: number): string {
  for (const [length, unit] of UNITS) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.round(ms)} ms`;
}

const SPAN = /^(\d+)\s*(s|m|min|h|d|w)$/;
const SPAN_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `90s`, `15m`, `2h`, `7d` ago, or a date, as REST takes it; null: it is neither. */
export function timeGiven(text: string, now: number): string | null {
  const [, count, unit] = SPAN.exec(text.trim()) ?? [];
  const ms = unit === undefined ? Date.parse(text) : now - Number(count) * SPAN_MS[unit]!;
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
