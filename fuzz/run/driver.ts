import { Random } from "./random.ts";
import { type ClassNames, type Schedule, injectedError } from "./schedule.ts";
import { type Given, type OpenCall, type Subject, type Transcript, line } from "./transcript.ts";

/** What belongs to the module rather than to the run: the same for both sides, but with state of its own each. */
export interface Surroundings {
  readonly classes: ClassNames;
  /** Carries out an action, lifted step or child on the module's own code. */
  carryOut(call: OpenCall): Promise<Given>;
  /** Encoded signals that will arrive, by name. */
  readonly signals: ReadonlyMap<string, readonly string[]>;
}

/** More inputs than this means that the body does not come to an end by itself. */
const INPUTS_MAX = 400;

/** The time that bodies see first. */
const START_AT = Date.UTC(2026, 0, 31, 23, 59, 58, 500);

/**
 * Runs one side from start to end. All choices come from the schedule's seed and the calls that are open, so two
 * sides that do the same are given the same.
 */
export async function drive(
  subject: Subject,
  input: string,
  schedule: Schedule,
  around: Surroundings,
): Promise<Transcript> {
  const random = new Random(schedule.seed);
  const signals = new Map([...around.signals].map(([name, values]) => [name, [...values]]));
  let at = START_AT;
  await subject.start(input, at);
  for (let count = 1; !subject.ended; count++) {
    if (count > INPUTS_MAX) {
      subject.lines.push(line("stuck", ["too many inputs"]));
      break;
    }
    at += schedule.inOrder ? 10 : random.below(2000);
    if (count === schedule.cancelBefore) {
      await give(subject, { kind: "cancel", reason: "§cancelled" }, at);
      continue;
    }
    const choice = choose(subject.open, signals, schedule, random);
    if (choice === null) {
      subject.lines.push(
        line(
          "stuck",
          subject.open.map(({ kind, name }) => `${kind} ${name}`),
        ),
      );
      break;
    }
    if (choice.kind === "signal") {
      await give(subject, choice, at);
      continue;
    }
    const { call } = choice;
    if (call.kind === "sleep" || call.kind === "wait") {
      at = Math.max(at, call.until ?? at);
      await give(subject, { kind: "timer", call: call.number }, at);
      continue;
    }
    const fails = call.kind !== "start" && random.chance(schedule.failures);
    const given: Given = fails
      ? { kind: "error", call: call.number, error: injectedError(random, around.classes, call.number) }
      : await around.carryOut(call);
    await give(subject, given, at);
  }
  return subject.lines;
}

async function give(subject: Subject, given: Given, at: number): Promise<void> {
  const plain = given.kind === "signal" ? given.name : given.kind === "cancel" ? given.reason : given.call;
  const value =
    given.kind === "result" || given.kind === "signal" ? given.value : given.kind === "error" ? given.error : null;
  subject.lines.push(line("given", [given.kind, plain, at], value === null ? [] : [value]));
  await subject.give(given, at);
}

type Choice = { readonly kind: "end"; readonly call: OpenCall } | Extract<Given, { kind: "signal" }>;

function choose(
  open: readonly OpenCall[],
  signals: Map<string, string[]>,
  schedule: Schedule,
  random: Random,
): Choice | null {
  const ends = open.filter(({ kind, until }) => kind !== "wait" || until !== null);
  const names = [...signals].filter(([, values]) => values.length > 0).map(([name]) => name);
  if (schedule.inOrder) {
    const first = ends.find(({ kind }) => kind !== "sleep" && kind !== "wait");
    if (first !== undefined) return { kind: "end", call: first };
    const waited = open.find(({ kind, name }) => kind === "wait" && names.includes(name));
    if (waited !== undefined) return takeSignal(waited.name, signals);
    const timers = ends.toSorted((a, b) => a.until! - b.until! || a.number - b.number);
    return timers[0] === undefined ? null : { kind: "end", call: timers[0] };
  }
  // A signal that nobody waits for may come early, but must not keep a run alive for ever.
  const wanted = names.filter((name) => open.some((call) => call.kind === "wait" && call.name === name));
  const early = ends.length > 0 && names.length > 0 && random.chance(0.1);
  const among: Choice[] = ends.map((call) => ({ kind: "end", call }));
  const name = wanted.length > 0 ? random.pick(wanted) : early ? random.pick(names) : null;
  if (name !== null && (among.length === 0 || early || random.chance(0.5))) return takeSignal(name, signals);
  return among.length === 0 ? null : random.pick(among);
}

function takeSignal(name: string, signals: Map<string, string[]>): Choice {
  return { kind: "signal", name, value: signals.get(name)!.shift()! };
}
