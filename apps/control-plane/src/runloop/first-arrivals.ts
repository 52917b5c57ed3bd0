import { isOrder, type Letter, turnsRun } from "../store/mail.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import { deadlineOf } from "./parking.ts";

/** What has come for a run while nobody held it; then it begins, if it does not go on. */
export function firstArrivals(run: HeldRun, letters: readonly Letter[], now: number): Arrival[] {
  const deadline = deadlineOf(run);
  const late: Arrival[] = deadline !== null && deadline <= now ? [{ kind: "deadline" }] : [];
  const mail = letters.map((letter): Arrival => ({ kind: "letter", letter }));
  if (run.isUnderWay) {
    // What came before it is rolled back would be taken back with the rest.
    const turns = mail.filter((_, index) => turnsRun(letters[index]!));
    return [...turns, ...late, ...mail.filter((_, index) => !turnsRun(letters[index]!))];
  }
  // Whoever is to be ended or paused before it begins does not begin.
  const turns = mail.filter((_, index) => turnsRun(letters[index]!));
  const orders = mail.filter((_, index) => isOrder(letters[index]!) && !turnsRun(letters[index]!));
  const later = mail.filter((_, index) => !isOrder(letters[index]!));
  return [...late, ...turns, ...orders, { kind: "start" }, ...later];
}
