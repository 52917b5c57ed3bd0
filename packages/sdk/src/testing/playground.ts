import { decodeNative, encodeNative, type NativeErrorClass, type NativeErrorClasses } from "@cairnjs/ir";
import type { Effect, Image, Input, Limits, RunInfo } from "@cairnjs/vm";
import { mergeOptions, type Outcome, perform } from "../attempts.ts";
import { ENGINE_ERRORS, NoHandlerRegistered, SignalTimeout, StepChanged } from "../errors.ts";
import type { ActionOptions } from "../options.ts";
import { Chance } from "./chance.ts";
import { dueTime, type LocalRun, type OpenStep } from "./local-run.ts";
import { MachineDriver } from "./machine-driver.ts";
import { eventOf, recordOf, type StepEffect, UNDEFINED } from "./records.ts";
import type { EncodedStep, Ended, LogLine, RunEvent, RunObserver } from "./report.ts";
import type { EncodedReport, FindAction } from "./run-in-memory.ts";
import { type Next, nextByChance, nextInOrder, stepsOf } from "./schedule.ts";
import { Stuck } from "./stuck.ts";

export interface PlaygroundOptions {
  readonly image: Image;
  readonly input: string;
  readonly children: ReadonlyMap<string, () => Image>;
  readonly actions: FindAction;
  readonly signals: Map<string, string[]>;
  readonly schedule: string | null;
  readonly restoreEverywhere: boolean;
  readonly startAt: number;
  readonly limits: Limits | undefined;
  readonly errorClasses: NativeErrorClasses;
  readonly observer: RunObserver;
}

/**
 * Owns: virtual time, the runs and their open steps, the signals left, what is reported.
 * Does not own: the order in which steps end (schedule.ts), how a machine is driven (machine-driver.ts).
 *
 * I1 Each step that ends is one input to one machine; nothing else happens meanwhile.
 * I2 Virtual time never goes back, and goes on only when a timer rings.
 * I3 A step is open here exactly as long as the machine waits for it.
 */
export class Playground {
  readonly #options: PlaygroundOptions;
  readonly #chance: Chance | null;
  /** Of actions' errors met so far; a body may hand an error on to another action. */
  readonly #errorClasses: Map<string, NativeErrorClass>;
  /** The run itself, then what lives on its own: detached children, and cancelled ones that still compensate. */
  readonly #roots: LocalRun[] = [];
  readonly #steps: EncodedStep[] = [];
  readonly #logs: LogLine[] = [];
  readonly #events: RunEvent[] = [];
  #now: number;
  #runs = 0;
  #started = 0;

  constructor(options: PlaygroundOptions) {
    this.#options = options;
    this.#chance = options.schedule === null ? null : new Chance(options.schedule);
    this.#errorClasses = new Map([...options.errorClasses, ...ENGINE_ERRORS]);
    this.#now = options.startAt;
  }

  async play(): Promise<EncodedReport> {
    const { image, input } = this.#options;
    const main = this.#newRun(image, 0);
    this.#roots.push(main);
    this.#start(main, input, null);
    try {
      for (let next = this.#next(); next !== null; next = this.#next()) await this.#end(next);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      return this.#report(main, error);
    }
    return this.#report(main, new Stuck(`The run can only wait ${this.#waitsFor(main)}`));
  }

  #report(main: LocalRun, stuck: Stuck): EncodedReport {
    const lists = { steps: this.#steps, logs: this.#logs, events: this.#events };
    const { ended } = main;
    if (ended === null) {
      return { error: encodeNative(stuck, { errorClasses: new Map([["Stuck", Stuck]]) }), trace: [], ...lists };
    }
    const { status, value, trace } = ended;
    return status === "succeeded" ? { result: value, trace, ...lists } : { error: value, trace, ...lists };
  }

  #next(): Next | null {
    const { signals } = this.#options;
    return this.#chance === null ? nextInOrder(this.#roots, signals) : nextByChance(this.#roots, signals, this.#chance);
  }

  async #end({ step, how }: Next): Promise<void> {
    if (how === "timer") this.#ring(step);
    else if (step.kind === "call") await this.#endCall(step);
    else if (step.kind === "child") this.#endChild(step);
    else if (step.kind === "wait") this.#sendSignal(step);
  }

  async #endCall(step: OpenStep & { kind: "call" }): Promise<void> {
    const { kind, copy } = await this.#perform(step);
    for (const [name, errorClass] of copy.classes) this.#errorClasses.set(name, errorClass);
    this.#answer(step, kind, copy.text);
  }

  async #perform({ effect, run }: OpenStep & { kind: "call" }): Promise<Outcome> {
    const classes = this.#errorClasses;
    const found = this.#options.actions(effect.action, run.program.name);
    if (found === undefined) {
      const isStep = run.program.steps.some(({ action }) => action === effect.action);
      const error = isStep
        ? new StepChanged(`The step "${effect.action}" is missing from the code that was loaded`)
        : new NoHandlerRegistered(`There is no action "${effect.action}"`);
      return { kind: "error", copy: { text: encodeNative(error, { errorClasses: classes }), classes } };
    }
    const { handler, options } = typeof found === "function" ? { handler: found, options: {} } : found;
    const called = effect.options === null ? {} : (decodeNative(effect.options) as ActionOptions);
    let stuck: Stuck | null = null;
    const watched = async (...args: never[]): Promise<unknown> => {
      try {
        return await handler(...args);
      } catch (error) {
        if (error instanceof Stuck) stuck = error;
        throw error;
      }
    };
    const task = { name: effect.action, handler: watched, options: mergeOptions(options, called) };
    const outcome = await perform(task, { text: effect.args, classes });
    // No error of the action's: who runs it has found that it will never end.
    if (stuck !== null) throw stuck as Stuck;
    return outcome;
  }

  #endChild(step: OpenStep & { kind: "child" }): void {
    const { child, effect } = step;
    if (child === null) {
      const error = new NoHandlerRegistered(`There is no workflow "${effect.workflow}"`);
      this.#answer(step, "error", encodeNative(error, { errorClasses: ENGINE_ERRORS }));
    } else if (effect.detached) {
      this.#answer(step, "result", encodeNative({ id: child.id }));
    } else if (child.ended !== null) {
      const { status, value } = child.ended;
      this.#answer(step, status === "succeeded" ? "result" : "error", value);
    }
  }

  #answer(step: OpenStep, kind: "result" | "error", text: string): void {
    const { run, effect } = step;
    this.#close(step, kind, text);
    const answer = { at: this.#now, call: effect.id };
    this.#deliver(run, kind === "result" ? { kind, ...answer, value: text } : { kind, ...answer, error: text });
  }

  #ring(step: OpenStep): void {
    const due = Math.max(this.#now, dueTime(step) ?? this.#now);
    if (due > this.#now) this.#options.observer.timeAdvanced?.(this.#now, due);
    this.#now = due;
    if (step.kind === "wait") {
      const error = new SignalTimeout(`No signal '${step.effect.signal}' arrived in time`);
      this.#close(step, "error", encodeNative(error, { errorClasses: ENGINE_ERRORS }));
    } else {
      this.#close(step, "result", UNDEFINED);
    }
    this.#deliver(step.run, { kind: "timer", at: due, call: step.effect.id });
  }

  /** The machine says which wait has taken it. */
  #sendSignal({ run, effect }: OpenStep & { kind: "wait" }): void {
    const value = this.#options.signals.get(effect.signal)?.shift() ?? UNDEFINED;
    this.#deliver(run, { kind: "signal", at: this.#now, name: effect.signal, value });
  }

  #close(step: OpenStep, kind: "result" | "error", text: string): void {
    step.run.open.delete(step.effect.id);
    step.record[kind] = text;
    this.#options.observer.stepEnded?.(step.record, step.run.depth);
  }

  #newRun(image: Image, depth: number, detached = false): LocalRun {
    const { limits, restoreEverywhere } = this.#options;
    this.#runs += 1;
    return {
      id: runId(this.#options.startAt, this.#runs),
      image,
      program: image.program,
      driver: new MachineDriver(image, limits, restoreEverywhere),
      depth,
      detached,
      open: new Map(),
      nodes: new Map(),
      ended: null,
    };
  }

  #start(run: LocalRun, value: string, parent: string | null): void {
    const info: RunInfo = {
      id: run.id,
      type: run.program.name,
      version: run.image.hash.slice(0, 12),
      namespace: "default",
      attempt: 1,
      startedAt: this.#now,
      parent,
      tags: [],
    };
    this.#deliver(run, { kind: "start", at: this.#now, value, seed: run.id, info });
  }

  #deliver(run: LocalRun, input: Input): void {
    for (const effect of run.driver.deliver(input)) this.#take(run, effect);
  }

  #take(run: LocalRun, effect: Effect): void {
    switch (effect.kind) {
      case "call":
      case "child":
      case "sleep":
      case "wait":
        this.#open(run, effect);
        return;
      case "taken": {
        const step = run.open.get(effect.wait);
        if (step !== undefined) this.#close(step, "result", effect.value);
        return;
      }
      case "abandon":
        this.#abandon(run, effect.call);
        return;
      case "end":
        this.#ended(run, effect);
        return;
      case "log":
        this.#log(run, effect);
        return;
      default:
        this.#happened(run, eventOf(effect, this.#now, run.nodes));
    }
  }

  #ended(run: LocalRun, effect: Ended): void {
    run.ended = effect;
    const [main] = this.#roots;
    if (!run.detached || effect.status !== "failed" || main === undefined) return;
    const { program, id } = run;
    this.#happened(main, {
      kind: "detachedFailed",
      at: this.#now,
      workflow: program.name,
      id,
      error: effect.value,
    });
  }

  #open(run: LocalRun, effect: StepEffect): void {
    const record = recordOf(effect);
    const step = { run, record, number: this.#started++ };
    run.nodes.set(effect.id, record.node);
    if (run.depth === 0 && run === this.#roots[0]) this.#steps.push(record);
    this.#options.observer.stepStarted?.(record, run.depth);
    if (effect.kind !== "child") {
      run.open.set(effect.id, { ...step, kind: effect.kind, effect } as OpenStep);
      return;
    }
    const image = this.#options.children.get(effect.workflow)?.() ?? null;
    const child = image === null ? null : this.#newRun(image, run.depth + 1, effect.detached);
    run.open.set(effect.id, { ...step, kind: "child", effect, child });
    if (child === null) return;
    if (effect.detached) this.#roots.push(child);
    this.#start(child, effect.input, run.id);
  }

  /** The body no longer wants the step. A child goes with its parent, but undoes what it has done. */
  #abandon(run: LocalRun, call: string): void {
    const step = run.open.get(call);
    if (step === undefined) return;
    run.open.delete(call);
    this.#happened(run, { kind: "abandoned", at: this.#now, node: step.record.node });
    if (step.kind !== "child" || step.child === null || step.effect.detached || step.child.ended !== null) return;
    this.#roots.push(step.child);
    this.#deliver(step.child, { kind: "cancel", at: this.#now, reason: "The run that called this one has ended" });
  }

  #log(run: LocalRun, { level, args }: Extract<Effect, { kind: "log" }>): void {
    const line: LogLine = { at: this.#now, level, args };
    if (run === this.#roots[0]) this.#logs.push(line);
    this.#options.observer.logged?.(line, run.depth);
  }

  #happened(run: LocalRun, event: RunEvent): void {
    if (run === this.#roots[0]) this.#events.push(event);
    this.#options.observer.happened?.(event, run.depth);
  }

  #waitsFor(main: LocalRun): string {
    const waits: string[] = [];
    for (const { kind, effect, record } of stepsOf([main])) {
      if (kind === "wait") waits.push(`for the signal "${effect.signal}" (${record.node})`);
    }
    return waits.length === 0 ? "for a promise that nothing settles" : waits.join(" and ");
  }
}

/** A UUID of version 7, as the engine's ids are; the same one every time. */
function runId(at: number, number: number): string {
  const time = Math.max(0, at).toString(16).padStart(12, "0").slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`;
}
