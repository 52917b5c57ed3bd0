import { isOrder, type Letter } from "../store/mail.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import { deadlineOf } from "./parking.ts";

/** What has come for a run while nobody held it; then it begins, if it does not go on. */
export function firstArrivals(run: HeldRun, letters: readonly Letter[], now: number): Arrival[] {
  const deadline = deadlineOf(run);
  const late: Arrival[] = deadline !== null && deadline <= now ? [{ kind: "deadline" }] : [];
  const mail = letters.map((letter): Arrival => ({ kind: "letter", letter }));
  if (run.machine.phase === "running" || run.machine.phase === "compensating") return [...late, ...mail];
  // Whoever is to be ended or paused before it begins does not begin.
  const first = mail.filter((_, index) => isOrder(letters[index]!));
  const later = mail.filter((_, index) => !isOrder(letters[index]!));
  return [...late, ...first, { kind: "start" }, ...later];
}
