import { isOrder, type Letter, turnsRun } from "../store/mail.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import { deadlineOf } from "./parking.ts";

/** What has come for a run while nobody held it; then it begins, if it does not go on. */
export function firstArrivals(run: HeldRun, letters: readonly Letter[], now: number): Arrival[] {
  const deadline = deadlineOf(run);
  const late: Arrival[] = deadline !== null && deadline <= now ? [{ kind: "deadline" }] : [];
  if (!run.isPaused) return inTheirOrder(run, letters, late);
  const first = untilResumed(letters);
  const rest = letters.filter((letter) => !first.includes(letter));
  // Who is not resumed is ended by its deadline, whatever waits for it.
  return first.at(-1)?.kind === "resume"
    ? [...first.map(arrivalOf), ...inTheirOrder(run, rest, late)]
    : [...late, ...first.map(arrivalOf), ...inTheirOrder(run, rest, [])];
}

/** Of letters to a run that is paused: up to the one that resumes or ends it, those that it takes. */
function untilResumed(letters: readonly Letter[]): Letter[] {
  const orders = letters.filter((letter) => isOrder(letter) && !turnsRun(letter));
  const last = orders.findIndex(({ kind }) => kind !== "pause");
  return last === -1 ? orders : orders.slice(0, last + 1);
}

function inTheirOrder(run: HeldRun, letters: readonly Letter[], late: readonly Arrival[]): Arrival[] {
  const turns = letters.filter(turnsRun).map(arrivalOf);
  const others = letters.filter((letter) => !turnsRun(letter));
  // What came before it is rolled back would be taken back with the rest.
  if (run.isUnderWay) return [...turns, ...late, ...others.map(arrivalOf)];
  // Whoever is to be ended or paused before it begins does not begin.
  const orders = others.filter(isOrder).map(arrivalOf);
  const later = others.filter((letter) => !isOrder(letter)).map(arrivalOf);
  return [...late, ...turns, ...orders, { kind: "start" }, ...later];
}

function arrivalOf(letter: Letter): Arrival {
  return { kind: "letter", letter };
}
