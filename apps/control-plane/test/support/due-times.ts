/**
 * When cron expressions are due, by another way than the one that is tested: clocks are read by Intl at every half hour,
 * and minutes that clocks show are compared with the fields.
 */

const MINUTE_MS = 60_000;
const SLOT_MINUTES = 30;

/** Minutes and hours and so on that match; null: all. With days and weekdays, either. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[] | null;
  readonly days: readonly number[] | null;
  readonly weekdays: readonly number[] | null;
}

export function cronOf({ minutes, hours, days, weekdays }: CronFields): string {
  return [minutes, hours, days, null, weekdays].map((field) => field?.join(",") ?? "*").join(" ");
}

/** Half an hour, in which clocks run as usual. */
interface Slot {
  readonly at: number;
  /** What they show at its beginning. */
  readonly wall: number;
  /** The last minute that they had shown before. */
  readonly latest: number;
}

/** What the clocks of a zone show. */
export class WalkedClock {
  readonly #from: number;
  readonly #slots: Slot[] = [];

  constructor(zone: string, from: number, to: number) {
    this.#from = from;
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    let latest: number | null = null;
    for (let at = from; at <= to; at += SLOT_MINUTES * MINUTE_MS) {
      const wall = Date.parse(`${format.format(at).replace(" ", "T")}Z`);
      latest ??= wall - MINUTE_MS;
      this.#slots.push({ at, wall, latest });
      latest = Math.max(latest, wall + (SLOT_MINUTES - 1) * MINUTE_MS);
    }
  }

  dueTimes(fields: CronFields): number[] {
    const due = this.#slots.flatMap((slot) =>
      isUsual(slot) ? dueAsUsual(fields, slot) : dueMinuteByMinute(fields, slot),
    );
    return due.filter((at) => at > this.#from);
  }
}

/** There are 17,520 half hours in a year, and few that are not. */
function isUsual({ wall, latest }: Slot): boolean {
  return wall === latest + MINUTE_MS;
}

function dueAsUsual(fields: CronFields, { at, wall }: Slot): number[] {
  const first = (wall / MINUTE_MS) % 60;
  const offsets = fields.minutes.map((minute) => (minute - first + 60) % 60).filter((offset) => offset < SLOT_MINUTES);
  return offsets
    .toSorted((a, b) => a - b)
    .filter((offset) => matches(fields, wall + offset * MINUTE_MS))
    .map((offset) => at + offset * MINUTE_MS);
}

/** For certain hours what was shown before is not due again, and what was passed over is due now. */
function dueMinuteByMinute(fields: CronFields, { at, wall, latest: before }: Slot): number[] {
  const due: number[] = [];
  let latest = before;
  for (let minute = 0; minute < SLOT_MINUTES; minute++) {
    const shown = wall + minute * MINUTE_MS;
    let is = fields.hours === null && matches(fields, shown);
    for (let fresh = latest + MINUTE_MS; fields.hours !== null && fresh <= shown; fresh += MINUTE_MS) {
      is ||= matches(fields, fresh);
    }
    latest = Math.max(latest, shown);
    if (is) due.push(at + minute * MINUTE_MS);
  }
  return due;
}

function matches({ minutes, hours, days, weekdays }: CronFields, wall: number): boolean {
  const minuteOfDay = (wall / MINUTE_MS) % 1_440;
  if (!minutes.includes(minuteOfDay % 60)) return false;
  if (hours !== null && !hours.includes(Math.floor(minuteOfDay / 60))) return false;
  if (days === null && weekdays === null) return true;
  const shown = new Date(wall);
  return days?.includes(shown.getUTCDate()) === true || weekdays?.includes(shown.getUTCDay()) === true;
}
