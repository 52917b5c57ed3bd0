import { action, sleep, workflow } from "cairnjs";

type Rule = { every: "day" | "week" | "month" | "year"; interval?: number; count: number; on?: number[]; until?: Date };

const remind = action("remind", async (at: Date, text: string) => `${at.toISOString().slice(0, 16)} ${text}`);

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** Adds months and keeps the day where the month is long enough. */
function addMonths(date: Date, months: number): Date {
  const result = new Date(date);
  const day = result.getUTCDate();
  result.setUTCDate(1);
  result.setUTCMonth(result.getUTCMonth() + months);
  result.setUTCDate(Math.min(day, daysIn(result.getUTCFullYear(), result.getUTCMonth())));
  return result;
}

function occurrences(start: Date, { every, interval = 1, count, on, until }: Rule): Date[] {
  const found: Date[] = [];
  for (let step = 0; found.length < count && step < 500; step++) {
    let at: Date;
    switch (every) {
      case "day":
      case "week": {
        at = new Date(start);
        at.setUTCDate(
          at.getUTCDate() +
            step * (every === "week" && on === undefined ? 7 * interval : every === "week" ? 1 : interval),
        );
        if (on !== undefined && !on.includes(at.getUTCDay())) continue;
        break;
      }
      case "month":
        at = addMonths(start, step * interval);
        break;
      default:
        at = addMonths(start, 12 * step * interval);
    }
    if (until !== undefined && at > until) break;
    found.push(at);
  }
  return found;
}

function isoWeek(date: Date): string {
  const day = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
  day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
  const first = Date.UTC(day.getUTCFullYear(), 0, 1);
  return `${day.getUTCFullYear()}-W${String(Math.ceil(((day.getTime() - first) / 86_400_000 + 1) / 7)).padStart(2, "0")}`;
}

function easter(year: number): Date {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  return new Date(Date.UTC(year, Math.floor((h + l - 7 * m + 114) / 31) - 1, ((h + l - 7 * m + 114) % 31) + 1));
}

export const input = { start: new Date(Date.UTC(2024, 0, 31, 9, 30)), text: "pay" };

export default workflow("schedule", async ({ start, text }: { start: Date; text: string }) => {
  const rules: Rule[] = [
    { every: "month", count: 4 },
    { every: "week", count: 3, on: [1, 4] },
    { every: "year", interval: 4, count: 3, until: new Date("2031-01-01") },
    { every: "day", interval: 30, count: 3 },
  ];
  const table = rules.map((rule) =>
    occurrences(start, rule).map((at) => `${WEEKDAYS[at.getUTCDay()]} ${at.toISOString()}`),
  );
  const sent: string[] = [];
  for (const at of occurrences(new Date(), { every: "week", count: 2 })) {
    await sleep(at);
    sent.push((await remind(at, text)).slice(-text.length));
  }
  return {
    table,
    sent,
    weeks: ["2020-12-31", "2021-01-03", "2026-01-01", "2016-02-29"].map((day) => isoWeek(new Date(day))),
    easters: [2024, 2025, 2038].map((year) => easter(year).toUTCString()),
    leap: [1900, 2000, 2023, 2024].filter(isLeap),
    parsed: ["2024-02-30", "2024-02-29T24:00Z", "Feb 29 2024 10:00", "nonsense"].map((value) => new Date(value)),
    span: String(new Date(8.64e15)),
  };
});
