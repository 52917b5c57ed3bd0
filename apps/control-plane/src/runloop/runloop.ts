import { newMachine } from "@cairnjs/vm";
import { hasLargeValues } from "../blobs/store-transition.ts";
import { rowsOf } from "../store/commit-transitions.ts";
import { OwnershipLost } from "../store/fence.ts";
import type { RunRow } from "../store/load-runs.ts";
import type { Granted } from "../store/limits.ts";
import { type Letter, sendMail } from "../store/mail.ts";
import { lookAtOwner, releaseOwner, releaseRun } from "../store/owners.ts";
import type { NewMail } from "../store/transition.ts";
import { CREATED, type NewRun, startRuns, type StartedRun } from "../store/start-runs.ts";
import { wakeUnserved } from "../store/wake-unserved.ts";
import { Aftermath } from "./aftermath.ts";
import { Alarms } from "./alarms.ts";
import { ClaimedRuns } from "./claimed-runs.ts";
import { Claiming } from "./claiming.ts";
import { Committer } from "./committer.ts";
import { hasCallsOut, nextCalls, openCalls } from "./dispatching.ts";
import { firstArrivals } from "./first-arrivals.ts";
import { Granting } from "./granting.ts";
import { type Arrival, HeldRun } from "./held-run.ts";
import { LargeValues } from "./large-values.ts";
import { loadHeldRuns } from "./loading.ts";
import { lookUp } from "./look-ups.ts";
import { Mail } from "./mail.ts";
import type { CallOutcome, Dispatch, TryId, UnservedCall } from "./outside.ts";
import { lingers, mayBeLetGo } from "./parking.ts";
import { poolOf } from "./pools.ts";
import type { LoadedVersion } from "./programs.ts";
import { Quarantine } from "./quarantine.ts";
import { refusedStep, takeOverFrom } from "./refusals.ts";
import { claimOf, newRunRow } from "./run-rows.ts";
import { RunTimers } from "./run-timers.ts";
import type { RunloopOptions } from "./runloop-options.ts";
import { callsServedBy } from "./served-calls.ts";
import { PULSE_MS } from "./shared-cells.ts";
import { Step, type StepContext } from "./step.ts";
import { StepsUnderWay } from "./steps-under-way.ts";

/** For what is under way when it is closed. */
const CLOSE_MAX_MS = 10_000;
/** Without news of work, it is looked for so often. */
const LOOK_EVERY_MS = 1_000;

/**
 * One life of an owner: claims runs, delivers what arrives, commits, dispatches.
 *
 * Owns: the runs it holds in memory, their timers, and its id in the database.
 * Does not own: the connections, the programs, the actions.
 *
 * Invariants (the numbers of the design):
 *   I1  Nothing that depends on an input leaves before its commit: only `#settle` speaks to the outside.
 *   I4  A run is in at most one uncommitted step (`busy`). When ownership or a commit's outcome is uncertain, `#lose`
 *       drops everything, and nothing of this life is used again.
 *   I6  A parked run is not in memory; after its park has committed, its mail is looked at once more.
 *   I7  A run whose owners went down with it again and again is failed before its state is looked at.
 *   I11 Whatever takes long (delivering, loading) makes way every `TURN_MS`; no more runs are held than there is room for,
 *       in number and in bytes (`Memory`): runs that linger leave first, then those that have not begun wait.
 */
export class Runloop {
  readonly #options: RunloopOptions;
  readonly #runs = new Map<string, HeldRun>();
  readonly #alarms: Alarms;
  readonly #timers: RunTimers;
  readonly #claiming: Claiming;
  readonly #claimedRuns: ClaimedRuns;
  readonly #quarantine: Quarantine | null;
  readonly #committer: Committer;
  readonly #largeValues: LargeValues;
  readonly #mail: Mail;
  readonly #granting: Granting;
  readonly #context: StepContext;
  readonly #steps = new StepsUnderWay({
    admits: ({ run }) => this.#options.memory.admits(run),
    worked: (step) => this.#worked(step),
    failed: (step, error) => void this.#guarded(() => this.#stop(step, error)),
    paused: ({ run }) => this.#options.memory.weigh(run),
    unknown: (step) => void this.#guarded(() => this.#lookUp(step)),
    turned: () => this.#committer.flush(),
  });
  readonly #poll: NodeJS.Timeout;
  readonly #pulse: NodeJS.Timeout;
  #draining = false;
  /** Until outcomes of runs that are not held here lie in their mail. */
  #passingOn: Promise<void> = Promise.resolve();
  /** Runs that linger were told that others wait for their memory. */
  #relieved = false;
  #over = false;

  constructor(options: RunloopOptions) {
    this.#options = options;
    const { clock, random, programs, control, owner, blobs, outside } = options;
    const { counters } = options.cells;
    this.#alarms = new Alarms(clock);
    this.#timers = new RunTimers({
      alarms: this.#alarms,
      now: () => clock.now(),
      arrive: (run, arrival) => this.#arrive(run, arrival),
      recall: (tries) => outside.recall(tries),
    });
    this.#claiming = new Claiming(
      options,
      this.#runs,
      (claimed) => {
        counters.add("claimed", claimed.length);
        return this.#claimedRuns.hold(claimed);
      },
      (error) => this.#lose(error),
    );
    this.#mail = new Mail(
      control,
      owner,
      this.#runs,
      (run) => this.#makeDue(run),
      (error) => this.#lose(error),
    );
    this.#committer = new Committer(owner, options.commits, options.batchMax, {
      committed: (steps, moment, tookMs) => {
        counters.committed(steps, tookMs);
        this.#committed(steps, moment);
      },
      refused: (step, error) => void this.#guarded(() => this.#refused(step, error)),
      lost: (error) => this.#lose(error),
    });
    this.#largeValues = new LargeValues(blobs, {
      stored: (step) => this.#stored(step),
      refused: (step, error) => void this.#guarded(() => this.#refused(step, error)),
      warn: (message, error, about) => outside.warn(message, error, about),
    });
    this.#granting = new Granting(control, owner, this.#alarms, () => clock.now(), {
      granted: (calls) => this.#granted(calls),
      lettersSent: () => this.#tellOfMail(),
      failed: (error) => this.#lose(error),
    });
    this.#context = {
      now: () => clock.now(),
      random,
      current: (namespace, name) => programs.knownCurrent(namespace, name),
      reserveRoom: (pool) => this.#claiming.reserve(pool),
      limitOf: (namespace, action) => programs.limits.of(namespace, action),
      tellsNobody: () => programs.subscriptions.isEmpty,
      isWanted: (namespace, type) => programs.subscriptions.isWanted(namespace, type),
      isPressed: () => this.#claiming.isPressed,
    };
    this.#claimedRuns = new ClaimedRuns(options, this.#mail, this.#context, {
      isOver: () => this.#over,
      adopt: (run, letters, readyAt) => this.#adopt(run, letters, readyAt),
      begin: (step) => this.#beginWith(step),
      released: (groups) => this.#granting.ask(groups),
      noMemory: (bytes) => this.#lackMemory(bytes),
    });
    const release = (run: HeldRun): void => void this.#guarded(() => this.#release(run));
    const guarded = (work: () => Promise<void>): void => void this.#guarded(work);
    this.#quarantine = options.alone ? new Quarantine(options, this.#runs, this.#alarms, release, guarded) : null;
    this.#poll = setInterval(() => this.poke(), LOOK_EVERY_MS);
    this.#pulse = setInterval(() => {
      options.cells.advance();
      counters.set("held", this.#runs.size);
      counters.set("heldBytes", options.memory.bytes);
    }, PULSE_MS);
  }

  get held(): number {
    return this.#runs.size;
  }

  /** There may be work, or mail. */
  poke(): void {
    if (this.#over) return;
    this.#claiming.look();
    this.#mail.look(null);
    void this.#guarded(() => this.#lookAtOwner());
  }

  /** Starts runs; those that are due belong to this owner at once, if it has room. */
  async start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    const { control, owner, programs } = this.#options;
    const bytes = runs.reduce((sum, { payload }) => sum + payload.length, 0);
    const isHeld = this.#claiming.hasRoomFor(runs.length, bytes) && this.#claiming.takes(runs.map(({ pool }) => pool));
    const told = toldNamespaces(runs, (namespace) => programs.subscriptions.isWanted(namespace, CREATED));
    const started = await startRuns(control, isHeld ? owner : null, runs, told);
    if (told.length > 0) this.#options.outside.notify("cairn_outbox");
    const states = new Map(started.map((run) => [run.id, run]));
    for (const run of runs) {
      const state = states.get(run.id);
      if (state?.state !== "held") {
        if (isHeld) this.#claiming.giveBack(run.pool);
        continue;
      }
      const version = await programs.find(run.namespace, run.type, run.version);
      if (version === null) throw new Error(`The version ${run.version} of ${run.type} is gone`);
      if (!this.#over) this.#begin(newRunRow(run), version, state.createdAt, state.createdAt);
    }
    if (started.some(({ state }) => state === "ready")) this.#options.outside.notify("cairn_work");
    return started;
  }

  /** Tries have ended; of runs that are not held here, the outcome is put into their mail. */
  outcomes(outcomes: readonly CallOutcome[]): void {
    const { incarnation, outside } = this.#options;
    const strange: CallOutcome[] = [];
    const ofLostPast: CallOutcome[] = [];
    for (const outcome of outcomes) {
      const run = this.#runs.get(outcome.runId);
      if (outcome.incarnation !== incarnation) ofLostPast.push(outcome);
      else if (run === undefined) strange.push(outcome);
      else this.#arrive(run, { kind: "outcome", outcome });
    }
    // Nobody will ever want them.
    if (ofLostPast.length > 0) outside.acknowledge(ofLostPast);
    if (strange.length === 0) return;
    const before = this.#passingOn;
    this.#passingOn = this.#guarded(async () => {
      await this.#passOn(strange);
      await before;
    });
  }

  /** Nobody runs these calls, which were open when their runs were taken over. */
  strangers(calls: readonly TryId[]): void {
    void this.#guarded(async () => {
      // Whoever has forgotten an outcome has put it into the mail before: perhaps after that was read.
      await this.#mail.looked(calls.map(({ runId }) => this.#runs.get(runId)).filter((run) => run !== undefined));
      for (const { runId, call, attempt } of calls) {
        const run = this.#runs.get(runId);
        if (run !== undefined) this.#arrive(run, { kind: "stranger", call, attempt });
      }
    });
  }

  /** What people are told of calls that no worker can run, and again of those that one has taken. */
  unserved(calls: readonly UnservedCall[]): void {
    for (const { runId, ...call } of calls) {
      const run = this.#runs.get(runId);
      if (run !== undefined) this.#arrive(run, { kind: "unserved", ...call });
    }
  }

  /** Workers are there for names that begin with these segments: what was given back for want of one is asked again. */
  joined(namespace: string, segments: readonly string[]): void {
    for (const run of this.#runs.values()) {
      if (run.row.namespace !== namespace) continue;
      // That a call was given back may be what is being committed.
      if (run.busy) run.joined = new Set([...(run.joined ?? []), ...segments]);
      this.#askAgain(run, segments);
    }
  }

  #askAgain(run: HeldRun, segments: readonly string[]): void {
    if (run.unserved.size === 0) return;
    for (const open of callsServedBy(run, segments)) {
      open.timer?.cancel();
      open.timer = null;
      this.#arrive(run, { kind: "timer", call: open.effect.id });
    }
  }

  /** What workers could take, by what they serve. */
  serve(room: ReadonlyMap<string, number>): void {
    if (!this.#over) this.#claiming.serve(room);
  }

  /** Takes nothing new, and dispatches nothing. */
  drain(): void {
    this.#draining = true;
    this.#claiming.stop();
  }

  /** Takes nothing new, commits or passes on what has arrived, and hands all runs over. Calls go on wherever they run. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.drain();
    await this.#settled();
    if (this.#over) return;
    const quiet = [...this.#runs.values()].filter((run) => !run.busy && !hasCallsOut(run)).map(({ id }) => id);
    this.#end();
    await releaseOwner(this.#options.control, this.#options.owner, quiet);
    this.#options.outside.notify("cairn_work");
  }

  /** Until all that has arrived is committed; something that is in the way of that is not waited for. */
  async #settled(): Promise<void> {
    const until = performance.now() + CLOSE_MAX_MS;
    for (let leftMs = CLOSE_MAX_MS; leftMs > 0 && this.#steps.size > 0; leftMs = until - performance.now()) {
      await this.#steps.idle(leftMs);
    }
    await this.#passingOn;
  }

  // Claim --------------------------------------------------------------------------------------------------------------

  /** A run that was claimed begins, begins again, or goes on with what is open. */
  #adopt(run: HeldRun, letters: readonly Letter[], readyAt: number): void {
    const { clock, outside, incarnation } = this.#options;
    this.#keep(run);
    // By the database's clock it was that time already: the one here may be some milliseconds late.
    const now = Math.max(clock.now(), readyAt);
    run.arrivals.push(...firstArrivals(run, letters, now));
    const isLimited = (action: string): boolean => this.#context.limitOf(run.row.namespace, action) !== null;
    const { calls, timers, asking } = openCalls(run, letters, { incarnation, now }, isLimited);
    for (const { effect } of asking) run.arrivals.push({ kind: "timer", call: effect.id });
    for (const open of timers) this.#timers.setDue(run, open);
    if (calls.length > 0) outside.adopt(calls);
    this.#arrive(run, { kind: "idle" });
  }

  /** A run that was claimed only to be ended. */
  #beginWith(step: Step): void {
    this.#keep(step.run);
    this.#steps.begin(step);
  }

  #lackMemory(bytes: number): void {
    this.#claiming.want(bytes);
    this.#relieve();
  }

  #begin(row: RunRow, version: LoadedVersion, startedAt: number, createdAt: number): void {
    const run = new HeldRun(row, version, newMachine(version.image), 1);
    run.startedAt = startedAt;
    run.wasNoted(createdAt);
    this.#keep(run);
    this.#arrive(run, { kind: "start" });
  }

  #keep(run: HeldRun): void {
    this.#runs.set(run.id, run);
    this.#options.memory.weigh(run);
    this.#timers.watchDeadline(run);
  }

  // Deliver ------------------------------------------------------------------------------------------------------------

  #arrive(run: HeldRun, arrival: Arrival): void {
    run.arrivals.push(arrival);
    this.#makeDue(run);
  }

  #makeDue(run: HeldRun): void {
    if (run.busy || run.arrivals.length === 0 || this.#over) return;
    this.#steps.begin(new Step(run, run.takeArrivals(), this.#context));
  }

  /** A step that wrote nothing needs no commit. */
  #worked(step: Step): void {
    this.#options.memory.weigh(step.run, step.transition.snapshotsLength);
    if (rowsOf(step.transition) === 0) this.#settle([step], null);
    else if (hasLargeValues(step.transition)) void this.#guarded(() => this.#largeValues.write(step));
    else this.#committer.add(step);
  }

  #stored(step: Step): void {
    this.#committer.add(step);
    this.#committer.flush();
  }

  async #lookUp(step: Step): Promise<void> {
    const { control, blobs, programs } = this.#options;
    const stop = (stopped: Step, error: unknown): Promise<void> => this.#stop(stopped, error);
    await lookUp({ control, blobs, programs, largeValues: this.#largeValues, stop }, step);
    this.#steps.goOn(step);
  }

  // Commit, dispatch ---------------------------------------------------------------------------------------------------

  #committed(steps: readonly Step[], moment: number | null): void {
    if (moment !== null) this.#options.clock.observe(moment);
    this.#settle(steps, moment);
  }

  /** What may be said and done once steps are durable. */
  #settle(steps: readonly Step[], moment: number | null): void {
    const { outside } = this.#options;
    const aftermath = new Aftermath();
    const missed: HeldRun[] = [];
    for (const step of steps) {
      const { run, after } = step;
      this.#steps.settled(run);
      aftermath.add(after);
      if (after.limited.length > 0) this.#granting.ask(after.limited);
      if (after.ended !== null || after.parked) {
        this.#letGo(step);
        if (after.parked && run.joined !== null && run.unserved.size > 0) missed.push(run);
        if (!run.hasCalled) this.#giveRoomBack(run);
      } else this.#goOn(step, aftermath.calls);
      this.#claiming.unreserve(step.heldChildren);
      for (const { child, version } of after.children) {
        if (child.held) this.#begin(newRunRow(child), version, run.machine.at, moment ?? run.machine.at);
        else outside.notify("cairn_work");
      }
    }
    aftermath.tell(outside);
    this.#mail.sent(aftermath.mailed, () => outside.notify("cairn_mail"));
    if (aftermath.parked) void this.#mail.afterPark(() => this.#claiming.look());
    if (missed.length > 0) void this.#guarded(() => this.#wake(missed));
    this.#roomChanged();
    this.#quarantine?.settled();
  }

  #roomChanged(): void {
    this.#steps.roomChanged();
    this.#claiming.roomChanged();
    this.#relieve();
  }

  /** Runs that only linger make way, once, for those that wait for memory; whatever comes to rest later does so by itself. */
  #relieve(): void {
    const { memory } = this.#options;
    if (!this.#claiming.isPressed) {
      if (memory.free > memory.bytesMax >> 3) this.#relieved = false;
      return;
    }
    if (this.#relieved) return;
    this.#relieved = true;
    for (const run of this.#runs.values()) if (lingers(run)) this.#arrive(run, { kind: "idle" });
  }

  /** What came for it in the meantime concerns whoever holds it next. */
  #letGo({ run, leftover, transition }: Step): void {
    this.#drop(run);
    this.#mail.letGo(run, transition.peek("readMail") ?? [], leftover);
    this.outcomes(outcomesIn([...leftover, ...run.arrivals]));
  }

  /** Whoever woke what waits for a worker cannot have seen runs that were being parked. */
  async #wake(runs: readonly HeldRun[]): Promise<void> {
    for (const namespace of new Set(runs.map(({ row }) => row.namespace))) {
      const segments = runs.flatMap(({ row, joined }) => (row.namespace === namespace ? [...(joined ?? [])] : []));
      await wakeUnserved(this.#options.control, namespace, [...new Set(segments)]);
    }
    this.#options.outside.notify("cairn_work");
    this.#claiming.look();
  }

  async #release(run: HeldRun): Promise<void> {
    const { control, owner } = this.#options;
    this.#drop(run);
    await releaseRun(control, owner, run);
    this.#options.outside.notify("cairn_work");
    this.#claiming.look();
  }

  #goOn(step: Step, calls: Dispatch[]): void {
    const { run, after } = step;
    run.busy = false;
    this.#options.memory.weigh(run);
    if ((step.transition.peek("marks")?.length ?? 0) > 0) run.crashes = 0;
    this.#mail.committed(run, step.transition.peek("readMail") ?? []);
    for (const open of after.timers) if (run.open.get(open.effect.id) === open) this.#timers.setDue(run, open);
    for (const open of after.dispatch) if (run.open.get(open.effect.id) === open) run.waiting.push(open);
    // Whoever holds it next makes its calls: else this would never come to an end here.
    const { incarnation, clock } = this.#options;
    if (!this.#draining) calls.push(...nextCalls(run, { incarnation, now: clock.now() }));
    if (run.hasRoom && run.hasCalled) {
      run.hasRoom = false;
      this.#claiming.called(poolOf(run.row.namespace, run.version));
    }
    this.#timers.watchDeadline(run);
    this.#timers.watchExpiry(run);
    run.idleTimer?.cancel();
    if (mayBeLetGo(run)) {
      // A job that waits for its turn needs no worker until then: others may have it.
      if (!run.hasCalled) this.#giveRoomBack(run);
      this.#timers.linger(run);
    }
    const { joined } = run;
    // What the next step gives back may have been said before they came.
    if (!run.arrivals.some(({ kind }) => kind === "unserved")) run.joined = null;
    if (joined !== null) this.#askAgain(run, [...joined]);
    this.#makeDue(run);
  }

  #giveRoomBack(run: HeldRun): void {
    if (run.hasRoom) this.#claiming.giveBack(poolOf(run.row.namespace, run.version));
    run.hasRoom = false;
  }

  /** While nothing is committed, the lease may run out, and the database's clock may be set. */
  async #lookAtOwner(): Promise<void> {
    const { control, owner, clock, programs } = this.#options;
    const { moment, owned, limitChanges, subscriptionChanges } = await lookAtOwner(control, owner);
    if (!owned) throw new OwnershipLost(`The owner ${owner} has lost its runs`);
    clock.observe(moment);
    if (!this.#over) this.#alarms.ring();
    await programs.limits.notice(limitChanges);
    await programs.subscriptions.notice(subscriptionChanges);
  }

  /** It is the turn of calls. A run that has been let go in the meantime is told by a letter. */
  #granted(calls: Granted["mine"]): void {
    const gone: NewMail[] = [];
    for (const { runId, call, attempt } of calls) {
      const run = this.#runs.get(runId);
      if (run !== undefined) this.#arrive(run, { kind: "granted", call, attempt });
      else gone.push({ runId, kind: "granted", call, name: null, value: JSON.stringify(attempt) });
    }
    if (gone.length === 0) return;
    void this.#guarded(async () => {
      await sendMail(this.#options.control, gone);
      this.#tellOfMail();
    });
  }

  #tellOfMail(): void {
    this.#mail.look(null);
    this.#options.outside.notify("cairn_mail");
  }

  // Failures -----------------------------------------------------------------------------------------------------------

  async #passOn(outcomes: readonly CallOutcome[]): Promise<void> {
    const { blobs, outside } = this.#options;
    const passedOn = await this.#mail.passOn(outcomes, blobs, (error) =>
      // Whoever has it keeps it, since it is not acknowledged.
      outside.warn("The result of a call cannot be written", error),
    );
    outside.acknowledge(passedOn);
    outside.notify("cairn_mail");
  }

  /** Something of ours went wrong, and would again: the run waits for an operator, and everyone else goes on. */
  async #stop(step: Step, error: unknown): Promise<void> {
    const { run, arrivals } = step;
    this.#claiming.unreserve(step.heldChildren);
    this.#drop(run);
    this.#mail.letGo(run, [], arrivals);
    this.outcomes(outcomesIn([...arrivals, ...run.arrivals]));
    await this.#claimedRuns.stop({ claimed: claimOf(step), error });
  }

  /** The database refuses what a step wrote: the run is loaded again, and told so where it can be. */
  async #refused(step: Step, error: unknown): Promise<void> {
    const { run } = step;
    this.#options.outside.warn(`The database refused what the run ${run.id} wrote`, error, { runId: run.id });
    this.#claiming.unreserve(step.heldChildren);
    // Until then it stays where it is, busy: what arrives is kept.
    run.silence();
    const { held, failed } = await loadHeldRuns(this.#options, [claimOf(step)]);
    if (this.#over) return;
    this.#drop(run);
    const together = step.arrivals.length > 1;
    if (failed.length > 0) this.#mail.forget([...step.arrivals, ...run.arrivals]);
    else if (!together) this.#mail.forget(step.arrivals);
    for (const each of failed) await this.#claimedRuns.stop(each);
    for (const again of held) {
      this.#keep(again);
      for (const open of takeOverFrom(run, again, together ? step.arrivals : [])) this.#timers.setDue(again, open);
      if (together) again.suspects = step.arrivals.length;
      if (together) this.#makeDue(again);
      else this.#steps.begin(refusedStep(again, step.arrivals[0], error, this.#context));
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#options.lost(error);
  }

  #drop(run: HeldRun): void {
    run.silence();
    this.#runs.delete(run.id);
    this.#options.memory.drop(run);
    this.#steps.settled(run);
  }

  #end(): void {
    this.#over = true;
    this.#claiming.stop();
    this.#granting.stop();
    this.#committer.stop();
    this.#largeValues.stop();
    this.#alarms.clear();
    this.#runs.clear();
    this.#options.memory.clear();
    this.#steps.clear();
    clearInterval(this.#poll);
    clearInterval(this.#pulse);
    const { counters } = this.#options.cells;
    counters.set("held", 0);
    counters.set("heldBytes", 0);
  }
}

/** Of those in which someone wants to know what is started. */
function toldNamespaces(runs: readonly NewRun[], isTold: (namespace: string) => boolean): string[] {
  return [...new Set(runs.map(({ namespace }) => namespace))].filter(isTold);
}

function outcomesIn(arrivals: readonly Arrival[]): CallOutcome[] {
  return arrivals.flatMap((each) => (each.kind === "outcome" ? [each.outcome] : []));
}
