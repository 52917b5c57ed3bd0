import { encodeNative } from "@cairnjs/ir";
import type { Effect, Image, Input } from "@cairnjs/vm";
import { encodeThrown } from "../copy.ts";
import { ENGINE_ERRORS, SignalTimeout } from "../errors.ts";
import { Chance } from "./chance.ts";
import { childAnswer } from "./child-answer.ts";
import { type CallStep, type ChildStep, dueTime, type LocalRun, type OpenStep, type StepRecord } from "./local-run.ts";
import { type NewRunOptions, NewRuns, startInput } from "./new-runs.ts";
import { eventOf, recordOf, type StepEffect, UNDEFINED } from "./records.ts";
import type { Ended, LogLine, RunEvent, RunObserver } from "./report.ts";
import { type Next, nextByChance, nextInOrder } from "./schedule.ts";
import type { Tries } from "./tries.ts";

export interface PlaygroundOptions extends NewRunOptions {
  readonly image: Image;
  readonly input: string;
  /** The child workflow of that name; null: there is none; "call": it is played by a function, like an action. */
  readonly child: (workflow: string) => Image | "call" | null;
  /** What a child's body gets for an input; throws or rejects for one that the workflow refuses. */
  readonly childInput: (image: Image, input: string, detached: boolean) => string | Promise<string>;
  readonly tries: Tries;
  readonly signals: Map<string, string[]>;
  readonly schedule: string | null;
  readonly observer: RunObserver;
  /** Whether nobody but the test ends an action. */
  readonly isHeld?: (action: string) => boolean;
  /** Asked after each input of the run itself: a reason to cancel it now. */
  readonly cancels?: (main: LocalRun) => string | null;
}

/** Options of a call that stands for a child: these are not tried again. */
const ONCE = encodeNative({ retry: { attempts: 1 } });

/**
 * Owns: virtual time, the runs and their open steps, the signals left, what is reported.
 * Does not own: the order in which steps end (schedule.ts), how a machine is driven (machine-driver.ts), how often
 * an action is tried (tries.ts), how runs are made and called (new-runs.ts).
 *
 * I1 Each step that ends is one input to one machine; nothing else happens meanwhile, unless an action asks for it.
 * I2 Virtual time never goes back, and goes on only when a timer rings or the test says so.
 * I3 A step is open here exactly as long as the machine waits for it.
 */
export class Playground {
  readonly #options: PlaygroundOptions;
  readonly #chance: Chance | null;
  readonly #newRuns: NewRuns;
  readonly main: LocalRun;
  /** The run itself, then what lives on its own: detached children, and cancelled ones that still compensate. */
  readonly roots: LocalRun[] = [];
  /** The step that has ended last. */
  lastEnded: { readonly record: StepRecord; readonly run: LocalRun } | null = null;
  #now: number;
  #started = 0;

  constructor(options: PlaygroundOptions) {
    this.#options = options;
    this.#chance = options.schedule === null ? null : new Chance(options.schedule);
    this.#newRuns = new NewRuns(options);
    this.#now = options.startAt;
    this.main = this.#newRuns.make(options.image, options.input, 0);
    this.roots.push(this.main);
  }

  /** To be called once, first; the input may have become another since. */
  start(input = this.main.input): void {
    this.main.input = input;
    this.deliver(this.main, startInput(this.main, this.#now, null));
  }

  get now(): number {
    return this.#now;
  }

  /** Lets the next thing happen, of those that are due by `limit`. False: there is none. */
  async turn(limit = Number.POSITIVE_INFINITY): Promise<boolean> {
    const next = this.#next(limit);
    if (next === null) return false;
    const { step, how } = next;
    if (how === "timer") this.#ring(step);
    else if (step.kind === "call") await this.#try(step);
    else if (step.kind === "child") await this.#goOnWithChild(step);
    else if (step.kind === "wait") this.#sendSignal(step);
    return true;
  }

  /** Virtual time goes on, to no earlier than it is. */
  advanceTo(time: number): void {
    if (time <= this.#now) return;
    this.#options.observer.timeAdvanced?.(this.#now, time);
    this.#now = time;
  }

  /** Ends an open step so; what it was doing no longer counts. */
  answer(step: OpenStep, kind: "result" | "error", text: string): void {
    const { run, effect } = step;
    if (run.open.get(effect.id) !== step) return;
    this.#close(step, kind, text);
    const answer = { at: this.#now, call: effect.id };
    this.deliver(run, kind === "result" ? { kind, ...answer, value: text } : { kind, ...answer, error: text });
  }

  /** A sleep that is over, or a wait that came to its timeout. */
  wake(step: OpenStep & { kind: "sleep" | "wait" }): void {
    if (step.kind === "wait") {
      const error = new SignalTimeout(`No signal '${step.effect.signal}' arrived in time`);
      this.#close(step, "error", encodeNative(error, { errorClasses: ENGINE_ERRORS }));
    } else {
      this.#close(step, "result", UNDEFINED);
    }
    this.deliver(step.run, { kind: "timer", at: this.#now, call: step.effect.id });
  }

  deliver(run: LocalRun, input: Input): void {
    for (const effect of run.driver.deliver(input)) this.#take(run, effect);
    if (run !== this.main || run.ended !== null) return;
    const reason = this.#options.cancels?.(run) ?? null;
    if (reason !== null) this.deliver(run, { kind: "cancel", at: this.#now, reason });
  }

  #next(limit: number): Next | null {
    const { signals } = this.#options;
    return this.#chance === null
      ? nextInOrder(this.roots, signals, limit)
      : nextByChance(this.roots, signals, limit, this.#chance);
  }

  async #try(step: CallStep): Promise<void> {
    this.#tried(step, await this.#options.tries.make(step, this.#now));
  }

  #tried(step: CallStep, made: Awaited<ReturnType<Tries["make"]>>): void {
    if (!("copy" in made)) step.later = made;
    else if (made.kind === "error" || step.detachedId === null) this.answer(step, made.kind, made.copy.text);
    else this.answer(step, "result", encodeNative({ id: step.detachedId }));
  }

  async #goOnWithChild(step: ChildStep): Promise<void> {
    if (step.checking === null) {
      const answer = childAnswer(step);
      if (answer !== null) this.answer(step, answer.kind, answer.text);
      return;
    }
    const { image, input } = step.checking;
    try {
      const checked = await input;
      step.checking = null;
      this.#startChild(step, image, checked);
    } catch (error) {
      this.answer(step, "error", encodeThrown(error).text);
    }
  }

  #ring(step: OpenStep): void {
    this.advanceTo(dueTime(step) ?? this.#now);
    if (step.kind === "sleep" || step.kind === "wait") this.wake(step);
    else if (step.kind === "call" && step.later !== null) {
      const { outcome } = step.later;
      step.later = null;
      if (outcome !== null) this.#tried(step, this.#options.tries.settle(step, outcome, this.#now));
    }
  }

  /** The machine says which wait has taken it. */
  #sendSignal({ run, effect }: OpenStep & { kind: "wait" }): void {
    const value = this.#options.signals.get(effect.signal)?.shift() ?? UNDEFINED;
    this.deliver(run, { kind: "signal", at: this.#now, name: effect.signal, value });
  }

  #close(step: OpenStep, kind: "result" | "error", text: string): void {
    const { run, record, effect } = step;
    run.open.delete(effect.id);
    record.step[kind] = text;
    record.endedAt = this.#now;
    this.lastEnded = { record, run };
    this.#options.observer.stepEnded?.(record.step, run.depth);
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
      case "undone":
        throw new Error("Nobody has asked for anything to be undone");
      default:
        this.#happened(run, eventOf(effect, this.#now, run.nodes));
    }
  }

  #ended(run: LocalRun, effect: Ended): void {
    run.ended = effect;
    if (!run.detached || effect.status !== "failed") return;
    const { program, id } = run;
    const { value: error } = effect;
    this.#happened(this.main, { kind: "detachedFailed", at: this.#now, workflow: program.name, id, error });
  }

  #open(run: LocalRun, effect: StepEffect): void {
    const record: StepRecord = {
      call: effect.id,
      step: recordOf(effect),
      startedAt: this.#now,
      attempts: [],
      endedAt: null,
      abandoned: false,
    };
    const opened = { run, record, number: this.#started++ };
    run.nodes.set(effect.id, record.step.node);
    run.steps.push(record);
    this.#options.observer.stepStarted?.(record.step, run.depth);
    if (effect.kind === "child") {
      this.#openChild(opened, effect);
      return;
    }
    const held = effect.kind === "call" && (this.#options.isHeld?.(effect.action) ?? false);
    run.open.set(effect.id, { ...opened, kind: effect.kind, effect, held, detachedId: null, later: null } as OpenStep);
  }

  #openChild(
    opened: Pick<CallStep, "run" | "record" | "number">,
    effect: Extract<StepEffect, { kind: "child" }>,
  ): void {
    const { run, record } = opened;
    const image = this.#options.child(effect.workflow);
    if (image === "call") {
      const { id, node, path } = effect;
      const { action, args } = record.step;
      const call = { kind: "call" as const, id, node, action, args, options: ONCE, path, compensation: false };
      const detachedId = effect.detached ? this.#newRuns.id() : null;
      run.open.set(id, { ...opened, kind: "call", effect: call, held: false, detachedId, later: null });
      return;
    }
    const step: ChildStep = { ...opened, kind: "child", effect, child: null, checking: null, refusal: null };
    run.open.set(effect.id, step);
    if (image === null) return;
    try {
      const input = this.#options.childInput(image, effect.input, effect.detached);
      if (typeof input === "string") this.#startChild(step, image, input);
      else step.checking = { image, input };
    } catch (error) {
      step.refusal = encodeThrown(error).text;
    }
  }

  #startChild(step: ChildStep, image: Image, input: string): void {
    const { run, effect } = step;
    step.child = this.#newRuns.make(image, input, run.depth + 1, effect.detached);
    run.children.push(step.child);
    if (effect.detached) this.roots.push(step.child);
    this.deliver(step.child, startInput(step.child, this.#now, run.id));
  }

  /** The body no longer wants the step. A child goes with its parent, but undoes what it has done. */
  #abandon(run: LocalRun, call: string): void {
    const step = run.open.get(call);
    if (step === undefined) return;
    run.open.delete(call);
    step.record.abandoned = true;
    step.record.endedAt = this.#now;
    this.#happened(run, { kind: "abandoned", at: this.#now, node: step.record.step.node });
    if (step.kind !== "child" || step.child === null || step.effect.detached || step.child.ended !== null) return;
    this.roots.push(step.child);
    this.deliver(step.child, { kind: "cancel", at: this.#now, reason: "The run that called this one has ended" });
  }

  #log(run: LocalRun, { level, args }: Extract<Effect, { kind: "log" }>): void {
    const line: LogLine = { at: this.#now, level, args };
    run.logs.push(line);
    this.#options.observer.logged?.(line, run.depth);
  }

  #happened(run: LocalRun, event: RunEvent): void {
    run.events.push(event);
    this.#options.observer.happened?.(event, run.depth);
  }
}
