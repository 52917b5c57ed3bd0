import { lengthGiven, lengthOfTime } from "@cairnjs/schemas/length-of-time";

/** How long ago it was, or how soon it will be. */
export function relativeTime(time: string | null, now: number): string {
  if (time === null) return "";
  const ms = now - Date.parse(time);
  const length = lengthOfTime(Math.abs(ms));
  return ms < 0 ? `in ${length}` : `${length} ago`;
}

/** A day, or a time with its zone: what else JavaScript takes for one is a guess. */
const WHOLE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** `90s`, `15m`, `2h`, `7d` ago, or a date, as REST takes it; null: it is neither. */
export function timeGiven(text: string, now: number): string | null {
  const span = lengthGiven(text);
  const whole = WHOLE.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  const ms = span === null ? whole : now - span;
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
