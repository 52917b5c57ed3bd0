import type { TraceLine } from "@cairnjs/ir";
import type { VPromise } from "../heap/promise.ts";
import { putHidden } from "../heap/properties.ts";
import { VError } from "../heap/data.ts";
import type { CodeUnit, VCell } from "../heap/function.ts";
import { Kind, type VObject } from "../heap/value.ts";
import type { PreludeImage } from "../prelude/prelude.ts";
import type { Realm } from "../realm/realm.ts";
import { measureState } from "../snapshot/measure.ts";
import { type ChanceState, drawFraction, seedChance } from "./chance.ts";
import { Frame } from "./frame.ts";
import { EngineError, type HostContext } from "./host.ts";
import type { Image } from "./image.ts";
import type { Job } from "./jobs.ts";
import type { Limits } from "./limits.ts";
import type { Effect, RunInfo } from "./messages.ts";

/** What a run waits for: a durable call that has been issued and not answered. */
export interface OpenCall {
  readonly id: string;
  readonly kind: "call" | "child" | "sleep" | "wait" | "compensation";
  readonly node: number;
  /** Action, workflow or signal. */
  readonly name: string;
  readonly promise: VPromise | null;
}

export interface Compensation {
  readonly node: number;
  readonly action: string;
  readonly args: string;
  /** What `with()` gave the action. */
  readonly options: string | null;
}

export type Phase = "new" | "running" | "compensating" | "ended";

const ATTENTION = 2 ** 30;
/** Memory that is filled takes time as well. */
const BYTES_PER_FUEL = 32;

/** Unhandled rejections that are kept for the warning at the end. */
const UNHANDLED_KEPT_MAX = 100;
const STACK_LINES_MAX = 10;
const MEASURE_BYTES_MIN = 4 * 1024 * 1024;
/** A run that has allocated less than this since the last look is not measured when it comes to rest. */
const REST_BYTES_MIN = 1024 * 1024;

/**
 * The state of one run.
 *
 * Owns: frames, jobs, open calls, buffered signals, compensations, chance, counters: all that a snapshot holds.
 * Does not own: the program's image and the realm (shared, immutable); time and chance come in with inputs.
 *
 * Invariants:
 *   M1  Between two instructions everything is in these fields: no host frame holds program state.
 *   M2  Equal state and equal input give equal state and equal effects, however the work is sliced.
 *   M3  After an EngineError the machine is not used again.
 */
export class Machine implements HostContext {
  readonly image: Image;
  readonly realm: Realm;
  readonly prelude: PreludeImage;
  readonly limits: Limits;

  frame: Frame | null = null;
  jobs: Job[] = [];
  /** Jobs before this index have been taken. */
  jobsTaken = 0;
  phase: Phase = "new";
  body: VPromise | null = null;
  readonly open = new Map<string, OpenCall>();
  /** Signals that no wait has taken yet, encoded, by name. */
  readonly signals = new Map<string, string[]>();
  readonly compensations: Compensation[] = [];
  /** Set by the cancel input: the reason of every later durable rejection. */
  cancelled: string | null = null;
  /** How the body ended, kept while compensations run. */
  outcome: {
    readonly status: "failed" | "cancelled" | "undone";
    readonly value: string;
    readonly trace: readonly TraceLine[];
    /** Of what is undone: so many compensations stay. */
    readonly keep?: number;
  } | null = null;
  unhandled: VPromise[] = [];
  chance: ChanceState = seedChance("");
  info: RunInfo | null = null;
  at = 0;
  /** Number of the input being processed, and how many effects it has had. */
  inputNumber = 0;
  ordinal = 0;
  effects: Effect[] = [];
  /** Work done for the current input. */
  fuelUsed = 0;
  /** Bytes allocated since the live state was last measured. */
  bytesAllocated = 0;
  /** What the live state measured then. */
  bytesLive = 0;
  /** The count of that measurement, in which shared strings count in each place. */
  bytesCounted = 0;
  /** Charged by built-ins since the interpreter last looked. */
  pendingFuel = 0;
  /** The bytes of it: one instruction may not take more than a run may hold, and is not measured while it works. */
  operationBytes = 0;
  /** 0, or more than any budget while something is charged that the interpreter has not seen. */
  attention = 0;
  /** What the interpreter had left when an error took it out of its loop. */
  budgetLeft = 0;
  /** Objects of the last snapshot that have been written since. */
  touchedObjects: (VObject | VCell | Frame)[] = [];
  /** The number that the next new object gets in a delta; 0 before the first snapshot. */
  snapshotNext = 0;
  snapshotBaseBytes = 0;
  /** How often the state has been encoded or measured. */
  encodings = 0;
  snapshotDeltaBytes = 0;

  constructor(image: Image, prelude: PreludeImage, limits: Limits) {
    this.image = image;
    this.realm = image.realm;
    this.prelude = prelude;
    this.limits = limits;
  }

  charge(fuel: number, bytes: number): void {
    if (!(fuel >= 0 && bytes >= 0)) throw new Error(`a charge of ${fuel} and ${bytes}`);
    if (!(bytes <= this.limits.stateBytesMax)) {
      throw new EngineError("StateTooLarge", `One operation asked for ${bytes} bytes, more than a run may hold`);
    }
    this.operationBytes += bytes;
    if (this.operationBytes > this.limits.stateBytesMax) {
      throw new EngineError(
        "StateTooLarge",
        `One operation took more than the limit of ${this.limits.stateBytesMax} bytes`,
      );
    }
    this.bytesAllocated += Math.ceil(bytes);
    this.spend(Math.ceil(fuel + bytes / BYTES_PER_FUEL));
  }

  /** Charges work alone. */
  spend(fuel: number): void {
    this.pendingFuel += fuel;
    this.attention = ATTENTION;
    if (!(this.pendingFuel <= this.limits.fuelPerInputMax)) throw outOfFuel(this.limits);
  }

  /** The interpreter takes note of what was charged. */
  takePending(): number {
    const fuel = this.pendingFuel;
    this.pendingFuel = 0;
    this.operationBytes = 0;
    this.attention = 0;
    return fuel;
  }

  /**
   * Ends the run when its live state has outgrown the limit. It is measured again only after it may have doubled, so
   * that measuring stays a small part of the work.
   */
  checkBytes(): void {
    const growth = Math.min(Math.max(MEASURE_BYTES_MIN, this.bytesLive), this.limits.stateBytesMax >> 1);
    if (this.bytesAllocated > this.bytesLive + growth) this.measure();
  }

  /** The same before a state is stored: what joined strings will weigh is only estimated while they are made. */
  checkBytesAtRest(): void {
    if (this.bytesAllocated > this.bytesLive + Math.max(REST_BYTES_MIN, this.bytesLive >> 2)) this.measure();
  }

  private measure(): void {
    const { stateBytesMax } = this.limits;
    const counted = measureState(this);
    // A string that many places share is counted in each of them, so three bounds are taken together: what is counted
    // now, what was live before and everything made since, and what was live before and how much the count has grown.
    const live = Math.min(counted, this.bytesAllocated, this.bytesLive + Math.max(0, counted - this.bytesCounted));
    if (live > stateBytesMax) {
      throw new EngineError("StateTooLarge", `The run holds more than the limit of ${stateBytesMax} bytes`);
    }
    this.bytesAllocated = live;
    this.bytesLive = live;
    this.bytesCounted = counted;
  }

  now(): number {
    return this.at;
  }

  random(): number {
    return drawFraction(this.chance);
  }

  touch(object: VObject): void {
    if (object.captured) refuseWrite(this.image, object);
    if (!object.touched) this.markTouched(object);
  }

  markTouched(object: VObject | VCell | Frame): void {
    object.touched = true;
    this.touchedObjects.push(object);
  }

  newError(className: string, message: string): VError {
    const error = new VError(this.realm.prototype(className));
    this.charge(50, 200 + message.length);
    this.addStack(error, message === "" ? className : `${className}: ${message}`);
    putHidden(error, "message", message);
    return error;
  }

  /** Gives a new error its `stack` (name, message and function names) and the trace that a recorded failure shows. */
  addStack(error: VError, head: string): void {
    const trace: number[] = [];
    const lines = [head];
    for (let frame = this.frame; frame !== null && lines.length <= STACK_LINES_MAX; frame = frame.caller) {
      if (frame.unit.prelude) continue;
      trace.push(frame.unit.index, frame.position);
      lines.push(`    at ${frame.unit.meta.name === "" ? "<anonymous>" : frame.unit.meta.name}`);
    }
    error.trace = trace;
    putHidden(error, "stack", lines.join("\n"));
  }

  preludeUnit(name: string): CodeUnit {
    const unit = this.prelude.units[this.prelude.exports[name] ?? -1];
    if (unit === undefined) throw new Error(`the prelude has no function '${name}'`);
    return unit;
  }

  noteUnhandled(promise: VPromise): void {
    if (this.unhandled.length < UNHANDLED_KEPT_MAX) this.unhandled.push(promise);
  }

  noteHandled(promise: VPromise): void {
    const index = this.unhandled.indexOf(promise);
    if (index >= 0) this.unhandled.splice(index, 1);
  }

  nextId(): string {
    return `${this.inputNumber}.${this.ordinal++}`;
  }

  nodeId(node: number): string {
    return this.image.program.nodes[node]?.id ?? "";
  }

  /** Names of the functions that led here, outermost first. */
  callPath(): string[] {
    const path: string[] = [];
    for (let frame = this.frame; frame !== null && path.length < STACK_LINES_MAX; frame = frame.caller) {
      if (!frame.unit.prelude) path.push(frame.unit.meta.name);
    }
    return path.reverse();
  }
}

export function outOfFuel(limits: Limits): EngineError {
  return new EngineError(
    "OutOfFuel",
    `One input caused more work than the limit of ${limits.fuelPerInputMax} instructions`,
  );
}

function refuseWrite({ program, globals }: Image, object: VObject): never {
  if (object.kind === Kind.Intrinsic || object.kind === Kind.Builtin) {
    throw new EngineError("UnsupportedBuiltin", "writing to a built-in object is not supported in workflows");
  }
  if (object.kind === Kind.Durable) {
    throw new EngineError("UnsupportedBuiltin", "writing to an action or workflow is not supported in workflows");
  }
  const slot = program.globals[globals.indexOf(object)]?.name;
  const what = slot === undefined ? "a value in a module-level constant" : `the module-level constant ${slot}`;
  const hint =
    object.kind === Kind.RegExp
      ? "With the flag g or y it counts where it stands: make it inside the body."
      : "Copy it inside the body, and change the copy.";
  throw new EngineError("CapturedValueWritten", `The workflow wrote to ${what}, which all runs share. ${hint}`);
}
