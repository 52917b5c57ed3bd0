import { encodeCopy, encodeThrown } from "../copy.ts";
import { definitionOf, type WorkflowDefinition } from "../definition.ts";
import { ENGINE_ERRORS } from "../errors.ts";
import { IN_MEMORY } from "../sealing.ts";
import { type Duration, durationMs } from "../options.ts";
import type { Workflow } from "../workflow.ts";
import { missingStep } from "./assertions.ts";
import { Cast } from "./cast.ts";
import { Chance } from "./chance.ts";
import { cancellationOf, Failures } from "./failures.ts";
import { KnownNames } from "./known-names.ts";
import type { OpenStep } from "./local-run.ts";
import { MetErrors } from "./met-errors.ts";
import type { Durable } from "./name-of.ts";
import { isAt, type Place, placeName } from "./place.ts";
import { Playground } from "./playground.ts";
import { runError } from "./run-error.ts";
import { encodedSignals, START_AT } from "./run-in-memory.ts";
import { RunView, type Stage } from "./run-view.ts";
import { stepsOf } from "./schedule.ts";
import { Storyteller } from "./storyteller.ts";
import { Stuck, stuckIn } from "./stuck.ts";
import type { TestArgs, TestOptions } from "./test-options.ts";
import { type TestStep, testStep } from "./test-step.ts";
import { VirtualTries } from "./virtual-tries.ts";

/** Below the 5 s that test runners have: the test fails with our message rather than theirs. */
const PATIENCE_MS = 4000;

/** How much happens in a run before it is taken for one that never ends. */
const TURNS_MAX = 20_000;

/**
 * Starts a run of a compiled workflow in this process, on the machine that the engine uses, in virtual time. The
 * body has gone to its first steps when this returns; `await run.result` plays it to its end.
 */
export function testRun<Args extends [input?: unknown], Result>(
  workflow: Workflow<Args, Result>,
  ...args: TestArgs<Args>
): TestRun<Result> {
  const definition = definitionOf(workflow);
  if (definition?.kind !== "workflow") throw new TypeError("testRun() takes a workflow and its options.");
  const options: TestOptions & { readonly input?: unknown } = args[0] ?? {};
  const names = new KnownNames(definition);
  names.requireOptions(options);
  return new TestRun<Result>(staged(definition, options, names));
}

function staged(
  definition: WorkflowDefinition,
  options: TestOptions & { readonly input?: unknown },
  names: KnownNames,
): Stage {
  const errors = new MetErrors([...(options.errors ?? []).map((each) => [each.name, each] as const), ...ENGINE_ERRORS]);
  const schedule = options.schedule === undefined ? null : String(options.schedule);
  const storyteller = new Storyteller();
  const cast = new Cast(definition, options.actions ?? {}, options.strict ?? false, errors);
  const tries = new VirtualTries({
    cast,
    failures: new Failures(options.failures ?? []),
    retry: options.retry ?? {},
    patienceMs: requiredMs(options.patience ?? PATIENCE_MS, "patience"),
    chance: schedule === null ? null : new Chance(`backoff ${schedule}`),
    errors,
    observer: storyteller,
    secrets: new Map(Object.entries(options.secrets ?? {})),
  });
  const playground = new Playground({
    image: cast.image(definition),
    input: encodeCopy(options.input, "input", IN_MEMORY).text,
    child: (name) => cast.child(name),
    childInput: ({ program }, text, detached) => cast.input(program.name, { text, classes: errors.classes }, !detached),
    tries,
    signals: encodedSignals(options.signals ?? {}),
    schedule,
    restoreEverywhere: options.restoreEverywhere ?? false,
    startAt: options.startAt?.getTime() ?? START_AT,
    limits: options.limits,
    observer: storyteller,
    isHeld: (action) => options.manual === true && !cast.hasMock(action),
    cancels: cancellationOf(options.cancel),
  });
  return {
    begun: begin(cast.input(definition.name, encodeCopy(options.input, "input", IN_MEMORY)), playground),
    playground,
    storyteller,
    errors,
    names,
    turnsMax: options.turnsMax ?? TURNS_MAX,
  };
}

/** A schema in the workflow's options may take its time; the compiler's is checked at once. */
function begin(input: string | Promise<string>, playground: Playground): Promise<void> | null {
  if (typeof input !== "string") return input.then((checked) => playground.start(checked));
  playground.start(input);
  return null;
}

/** A run that a test holds in its hands. Nothing happens in it but what the test asks for. */
export class TestRun<Result> extends RunView {
  #result: Promise<Result> | null = null;
  /** What was asked for last; one thing after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(stage: Stage) {
    super(stage, stage.playground.main);
    if (stage.begun !== null) this.#asked = stage.begun;
    // Whatever is asked for next tells of it.
    stage.begun?.catch(() => {});
  }

  /** Plays the run to its end: its result, or its error thrown. */
  get result(): Promise<Result> {
    if (this.#result === null) {
      this.#result = this.proceed().then(() => this.#outcome());
      // The test may do other things before it awaits this.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  /** Virtual time. */
  get now(): Date {
    return new Date(this.stage.playground.now);
  }

  /** Lets everything happen that can. Then the run has ended, or waits for the test. Its error is not thrown. */
  proceed(): Promise<this> {
    return this.#inTurn(async () => {
      await this.#turns(Number.POSITIVE_INFINITY);
      return this;
    });
  }

  /** Lets one step end, and tells which: of a child too. Null: nothing can end. */
  next(): Promise<TestStep | null> {
    return this.#inTurn(async () => {
      const { playground } = this.stage;
      playground.lastEnded = null;
      while (playground.lastEnded === null && (await playground.turn()));
      return this.#lastEnded();
    });
  }

  /** Lets everything happen that is due in that time, which then has passed. */
  advance(duration: Duration): Promise<this> {
    const ms = requiredMs(duration, "advance()");
    return this.#inTurn(() => this.#playUntil(this.stage.playground.now + ms));
  }

  /**
   * Goes on until a step at that place is open, or the predicate holds, which is asked after each thing that happens;
   * throws if that does not come, and at once if the workflow has no such place. Until a date: as `advance`.
   */
  until(predicate: (run: this) => boolean): Promise<this>;
  until(target: Place | Date): Promise<this>;
  until(target: Place | Date | ((run: this) => boolean)): Promise<this> {
    if (target instanceof Date) return this.#inTurn(() => this.#playUntil(target.getTime()));
    const isThere = isPredicate(target) ? () => target(this) : () => this.#isOpen(target);
    return this.#inTurn(async () => {
      if (!isPredicate(target)) this.stage.names.requirePlace(target);
      for (let turns = 0; !isThere(); turns++) {
        if (turns >= this.stage.turnsMax) throw endless(turns);
        if (await this.stage.playground.turn()) continue;
        throw missingStep(isPredicate(target) ? "at which the predicate holds" : `"${placeName(target)}"`, this);
      }
      return this;
    });
  }

  /** Ends an open step with a result: an action, without running it; a sleep, before its time. */
  complete<Result>(step: TestStep | Durable<never, Result> | string, value?: NoInfer<Result>): void {
    const open = this.#openStep(step);
    if (open.kind === "sleep") this.stage.playground.wake(open);
    else this.stage.playground.answer(open, "result", encodeCopy(value, "result", IN_MEMORY).text);
  }

  /** Ends an open action with an error, for good. */
  fail(step: TestStep | Durable | string, error: unknown): void {
    const open = this.#openStep(step);
    const copy = encodeThrown(error);
    this.stage.errors.meet(copy);
    this.stage.playground.answer(open, "error", copy.text);
  }

  async #playUntil(time: number): Promise<this> {
    const { playground } = this.stage;
    await this.#turns(time);
    playground.advanceTo(time);
    return this;
  }

  #outcome(): Result {
    const { ended } = this.run;
    if (ended === null) throw new Stuck(`${stuckIn(this.run).message}.\n\n${this.story()}\n`);
    if (ended.status === "succeeded") return this.decode(ended.value) as Result;
    throw runError(ended, (text) => this.decode(text));
  }

  #lastEnded(): TestStep | null {
    const { lastEnded } = this.stage.playground;
    return lastEnded === null ? null : testStep(lastEnded.record, lastEnded.run, (text) => this.decode(text));
  }

  #isOpen(place: Place): boolean {
    for (const { record } of stepsOf(this.stage.playground.roots)) if (isAt(place, record.step)) return true;
    return false;
  }

  #openStep(wanted: TestStep | Durable | string): Exclude<OpenStep, { kind: "child" | "wait" }> {
    for (const step of stepsOf(this.stage.playground.roots)) {
      const { record, run } = step;
      const isMeant = typeof wanted === "object" ? wanted.id === `${run.id}/${record.call}` : isAt(wanted, record.step);
      if (!isMeant) continue;
      if (step.kind === "wait") throw new TypeError("A wait ends when its signal comes. Send it with run.signal().");
      if (step.kind === "child") throw new TypeError("A child ends by itself. Mock the workflow to have it end so.");
      return step;
    }
    const place = typeof wanted === "object" ? wanted.node : placeName(wanted);
    throw new Error(`No step "${place}" is open. Go there with run.until("${place}").\n\n${this.story()}\n`);
  }

  async #turns(limit: number): Promise<void> {
    const { playground, turnsMax } = this.stage;
    for (let turns = 0; await playground.turn(limit); turns++) {
      if (turns < turnsMax) continue;
      // What the run has started to live on its own may go on for ever.
      if (this.run.ended !== null) return;
      throw endless(turns);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#asked.then(work);
    this.#asked = done.then(
      () => null,
      () => this.stage.begun,
    );
    this.#asked.catch(() => {});
    return done;
  }
}

/** An action or workflow is a function too. */
function isPredicate<Run>(target: Place | ((run: Run) => boolean)): target is (run: Run) => boolean {
  return typeof target === "function" && definitionOf(target) === undefined;
}

function endless(turns: number): Stuck {
  return new Stuck(
    `The run goes on after ${turns} things have happened. ` +
      "Go through it with run.advance() or run.until(), or raise `turnsMax`.",
  );
}

function requiredMs(duration: Duration, what: string): number {
  const ms = durationMs(duration);
  if (ms >= 0) return ms;
  throw new RangeError(`${what} takes a duration: milliseconds, or such as "3 days".`);
}
