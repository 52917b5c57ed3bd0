import { inspect } from "node:util";
import type { Signal } from "../signal.ts";
import { checkedSignal } from "../signal-value.ts";
import { assertCalls, assertSteps, missingStep, type StepExpectation } from "./assertions.ts";
import type { LocalRun, StepRecord } from "./local-run.ts";
import type { MetErrors } from "./met-errors.ts";
import { type Durable, nameOf } from "./name-of.ts";
import type { KnownNames } from "./known-names.ts";
import { isAt, type Place, placeName } from "./place.ts";
import type { Playground } from "./playground.ts";
import type { RunEvent } from "./report.ts";
import { stepsOf } from "./schedule.ts";
import type { Storyteller } from "./storyteller.ts";
import { type TestStep, testStep } from "./test-step.ts";

/** What a view looks at. */
export interface Stage {
  /** Null: the run has begun. Else it begins when its input has been checked. */
  readonly begun: Promise<void> | null;
  readonly playground: Playground;
  readonly storyteller: Storyteller;
  readonly errors: MetErrors;
  readonly names: KnownNames;
  readonly turnsMax: number;
}

export type RunStatus = "running" | "succeeded" | "failed" | "cancelled";

/** A run of a test as it is now, with native values: the one the test started, or a child of it. */
export class RunView {
  protected readonly stage: Stage;
  protected readonly run: LocalRun;

  constructor(stage: Stage, run: LocalRun) {
    this.stage = stage;
    this.run = run;
  }

  get id(): string {
    return this.run.id;
  }

  /** The workflow's name. */
  get workflow(): string {
    return this.run.program.name;
  }

  get input(): unknown {
    return this.decode(this.run.input);
  }

  get status(): RunStatus {
    return this.run.ended?.status ?? "running";
  }

  /** Every step so far, in the order they were started: actions, children, sleeps, waits, compensations. */
  get steps(): readonly TestStep[] {
    return this.run.steps.map((record) => this.#step(record, this.run));
  }

  /** Steps that have not ended, those of children that it waits for too. */
  get open(): readonly TestStep[] {
    return Array.from(stepsOf([this.run]), ({ record, run }) => this.#step(record, run));
  }

  /** Steps that undid something, in the order they ran. */
  get compensations(): readonly TestStep[] {
    return this.steps.filter(({ compensation }) => compensation);
  }

  /** Children in the order they were started, detached ones too. */
  get children(): readonly RunView[] {
    return this.run.children.map((child) => new RunView(this.stage, child));
  }

  /** Events that the body has emitted. */
  get emitted(): readonly { readonly type: string; readonly data: unknown; readonly at: Date }[] {
    return this.#events("emit").map(({ type, data, at }) => ({ type, data: this.decode(data), at: new Date(at) }));
  }

  /** Values given to `progress()`. */
  get progress(): readonly unknown[] {
    return this.#events("progress").map(({ value }) => this.decode(value));
  }

  get logs(): readonly { readonly level: string; readonly args: readonly unknown[]; readonly at: Date }[] {
    return this.run.logs.map(({ level, args, at }) => ({
      level,
      args: this.decode(args) as unknown[],
      at: new Date(at),
    }));
  }

  /** Rejections that nobody handled, and functions that still waited when the body ended. */
  get warnings(): readonly { readonly code: string; readonly detail: unknown; readonly at: Date }[] {
    return this.#events("warning").map(({ code, detail, at }) => ({
      code,
      detail: this.decode(detail),
      at: new Date(at),
    }));
  }

  /** All steps of an action or child workflow, typed as it is. Compensations are among them. */
  stepsOf<Args extends unknown[], Result>(action: Durable<Args, Result> | string): readonly TestStep<Args, Result>[] {
    const name = nameOf(action);
    return this.steps.filter((step) => step.action === name) as unknown as readonly TestStep<Args, Result>[];
  }

  /** Arguments of all calls of an action or child workflow, in order. Tries of one call count once. */
  called<Args extends unknown[]>(action: Durable<Args> | string): readonly Args[] {
    return this.stepsOf<Args, unknown>(action).map(({ args }) => args);
  }

  /** The step at that place; `index` says which, should there be several. */
  step(place: Place, index = 0): TestStep {
    const found = this.run.steps.filter(({ step }) => isAt(place, step)).at(index);
    if (found === undefined) throw missingStep(`"${placeName(place)}"`, this);
    return this.#step(found, this.run);
  }

  /** Throws with a diff and the run's story unless exactly these actions and children were called, in this order. */
  assertSteps(expected: readonly StepExpectation[]): void {
    assertSteps(this, expected);
  }

  /** Throws with the run's story unless the action was called, and if arguments are given, with these. */
  assertCalled<Args extends unknown[]>(action: Durable<Args> | string, ...args: Args | []): void {
    assertCalls(this, nameOf(action), args, true);
  }

  assertNotCalled<Args extends unknown[]>(action: Durable<Args> | string, ...args: Args | []): void {
    assertCalls(this, nameOf(action), args, false);
  }

  /** Sends it a signal now; it is kept until the body waits for it. Throws InvalidInput if its schema refuses it, and if the workflow knows no such signal. */
  signal<Sent>(signal: Pick<Signal<unknown, Sent>, "name" | "~sent"> | string, value?: NoInfer<Sent>): void {
    const name = typeof signal === "string" ? signal : signal.name;
    this.stage.names.requireSignal(name);
    this.requireRunning(`be sent the signal "${name}"`);
    const { playground } = this.stage;
    const { text } = checkedSignal(name, value, `the signal "${name}"`);
    playground.deliver(this.run, { kind: "signal", at: playground.now, name, value: text });
  }

  cancel(reason = "The test has cancelled the run"): void {
    this.requireRunning("be cancelled");
    const { playground } = this.stage;
    playground.deliver(this.run, { kind: "cancel", at: playground.now, reason });
  }

  /** What happened so far, for people. */
  story(): string {
    return this.stage.storyteller.story(this.run);
  }

  toString(): string {
    return this.story();
  }

  [inspect.custom](): string {
    return this.story();
  }

  protected requireRunning(what: string): void {
    if (this.run.ended !== null) throw new Error(`The run has ended and can no longer ${what}.\n\n${this.story()}`);
  }

  protected decode(text: string): unknown {
    return this.stage.errors.decode(text);
  }

  #step(record: StepRecord, run: LocalRun): TestStep {
    return testStep(record, run, (text) => this.decode(text));
  }

  #events<Kind extends RunEvent["kind"]>(kind: Kind): Extract<RunEvent, { kind: Kind }>[] {
    return this.run.events.filter((event): event is Extract<RunEvent, { kind: Kind }> => event.kind === kind);
  }
}
