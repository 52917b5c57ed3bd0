import { decodeNative, encodeNative, type NativeErrorClasses, type Program } from "@cairnjs/ir";
import { withSignals, type SignalValues } from "cairnjs";
import { definitionsIn, type FindAction, runInMemory } from "cairnjs/testing/internal";
import { vi } from "vitest";
import type { LoadedExample } from "./example-modules.ts";
import { noting } from "./recorded-cairnjs.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** What an example did, in a form in which both sides can be compared. */
export interface Outcome {
  /** In the tagged encoding. */
  readonly result?: string;
  /** Class and message. */
  readonly throws?: string;
  readonly calls: readonly unknown[];
  readonly logs: readonly unknown[];
  readonly events: readonly unknown[];
}

/** Where time begins on both sides. */
const START_AT = new Date("2026-01-01T00:00:00.000Z");

/** Turns of the event loop after which nothing but a timer can go on: more than any example has steps in a row. */
const QUIET_TURNS = 60;

const LEVELS = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;

/** As a plain function, in this process; time jumps over sleeps, as a test with fake timers would let it. */
export async function runNatively(work: () => unknown, signals: SignalValues): Promise<Outcome> {
  const noted = { calls: [], events: [] };
  const logs: unknown[] = [];
  const spies = Object.entries(LEVELS).map(([method, level]) =>
    vi.spyOn(console, method as keyof typeof LEVELS).mockImplementation((...args: unknown[]) => {
      logs.push([level, ...structuredClone(args)]);
    }),
  );
  const clock = new VirtualClock(START_AT);
  clock.install();
  try {
    const promise = Promise.resolve(noting(noted, () => withSignals(signals, work)));
    return { ...(await settled(promise, clock)), ...noted, logs };
  } finally {
    clock.uninstall();
    for (const spy of spies) spy.mockRestore();
  }
}

async function settled(promise: Promise<unknown>, clock: VirtualClock): Promise<Pick<Outcome, "result" | "throws">> {
  let outcome: Pick<Outcome, "result" | "throws"> | null = null;
  promise.then(
    (value) => (outcome = { result: encodeNative(value) }),
    (error: unknown) => (outcome = { throws: nameAndMessage(error) }),
  );
  for (;;) {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (outcome !== null) return outcome;
    if (!clock.advance()) throw new Error("The example only waits for something that does not come");
  }
}

export interface MachineRun {
  /** The workflow itself first. */
  readonly programs: readonly Program[];
  /** Its module and those that it imports. */
  readonly modules: readonly LoadedExample[];
  readonly input: unknown;
  readonly signals: SignalValues;
  readonly restoreEverywhere: boolean;
}

/** On the machine, in virtual time. */
export async function runOnMachine({ programs, modules, ...options }: MachineRun): Promise<Outcome> {
  const { actions, workflows, errorClasses } = definitionsIn(
    modules.flatMap((module) => [...Object.values(module), ...module.$values()]),
  );
  const find: FindAction = (name, workflow) => actions.get(name) ?? workflows.get(workflow)?.compiled?.steps.get(name);
  const noted: { calls: unknown[][]; events: unknown[][] } = { calls: [], events: [] };
  const [program] = programs;
  if (program === undefined) throw new Error("The example declares no workflow");
  const report = await noting(noted, () =>
    runInMemory({
      program,
      children: new Map(programs.map((each) => [each.name, each])),
      actions: find,
      errorClasses,
      startAt: START_AT,
      ...options,
    }),
  );
  const ended = "error" in report ? { throws: nameAndMessage(report.error) } : { result: encodeNative(report.result) };
  return {
    ...ended,
    calls: noted.calls,
    logs: report.logs.map(({ level, args }) => [level, ...args]),
    events: report.events.flatMap((event) => eventLine(event, errorClasses)),
  };
}

type ReportedEvent = Awaited<ReturnType<typeof runInMemory>>["events"][number];

function eventLine(event: ReportedEvent, errorClasses: NativeErrorClasses): unknown[] {
  if (event.kind === "emit") return [["emit", event.type, decodeNative(event.data, { errorClasses })]];
  return event.kind === "progress" ? [["progress", decodeNative(event.value, { errorClasses })]] : [];
}

function nameAndMessage(error: unknown): string {
  return error instanceof Error ? `${error.constructor.name}: ${error.message}` : `thrown ${encodeNative(error)}`;
}
