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

/** Of a length that counts, nothing is left out. */
export function exactLength(ms: number): string {
  for (const [length, unit] of UNITS) if (ms >= length && ms % length === 0) return `${ms / length} ${unit}`;
  return `${ms} ms`;
}

const SPAN = /^(\d{1,12})\s*(ms|s|m|min|h|d|w)$/;
const SPAN_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `90s`, `15m`, `2h`, `7d`: a length of time in milliseconds; null: it is none. */
export function spanGiven(text: string): number | null {
  const [, count, unit] = SPAN.exec(text.trim()) ?? [];
  return unit === undefined ? null : Number(count) * SPAN_MS[unit]!;
}

/** A day, or a time with its zone: what else JavaScript takes for one is a guess. */
const WHOLE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** `90s`, `15m`, `2h`, `7d` ago, or a date, as REST takes it; null: it is neither. */
export function timeGiven(text: string, now: number): string | null {
  const span = spanGiven(text);
  const whole = WHOLE.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  const ms = span === null ? whole : now - span;
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
