import { placeOf, type VariableDebug } from "@cairnjs/ir";
import { VCell } from "../heap/function.ts";
import type { Reaction, VPromise } from "../heap/promise.ts";
import type { Value } from "../heap/value.ts";
import type { Frame, Slot } from "../machine/frame.ts";
import type { Machine } from "../machine/machine.ts";
import { settledBy } from "../machine/suspended.ts";
import { defaultBounds, type ShowBounds, ValueShower } from "./shown.ts";

/** A function that has begun and not ended. */
export interface FrameView {
  readonly function: string;
  /** Where it is: at the call or the `await` that it waits in. Lines and columns count from 1; 0 if it is not known. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** By name, of the innermost scope first where a name is hidden; those that are not initialised are left out. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Open calls that it waits for, by id, directly or through promises. */
  readonly calls: readonly string[];
  /** Other functions that it waits for, by their place in the list. */
  readonly frames: readonly number[];
}

export interface MachineView {
  /** Whoever waits stands after what it waits for. */
  readonly frames: readonly FrameView[];
  /** Signals that nobody has waited for, by name: how many. */
  readonly signals: Readonly<Record<string, number>>;
  /** Actions that would undo what was done, the next one first. */
  readonly compensations: readonly string[];
}

export interface InspectOptions extends Partial<ShowBounds> {
  readonly framesMax?: number;
}

const FRAMES_MAX = 1_000;

/** What people see of a run that is at rest, or between two instructions; leaves it as it is. */
export function inspect(machine: Machine, options: InspectOptions = {}): MachineView {
  const { framesMax = FRAMES_MAX, ...bounds } = options;
  const shower = new ValueShower({ ...defaultBounds, ...bounds });
  const found = new WaitingFrames(machine, framesMax);
  return {
    frames: found.frames.map(({ frame, calls, frames }) => {
      const { offset, ...place } = placeOf(machine.image.program.debug, frame.unit.index, frame.position);
      return {
        function: frame.unit.meta.name,
        ...place,
        variables: variablesOf(machine, frame, offset, shower),
        calls: [...calls],
        frames: [...frames],
      };
    }),
    signals: Object.fromEntries([...machine.signals].map(([name, values]) => [name, values.length])),
    compensations: machine.compensations.map(({ action }) => action).reverse(),
  };
}

interface Waiting {
  readonly frame: Frame;
  readonly calls: Set<string>;
  readonly frames: Set<number>;
}

type Origin = { readonly call: string } | { readonly frame: number };

/** Goes from what is open to whoever waits for it. Functions of the prelude are ways, and not shown. */
class WaitingFrames {
  readonly frames: Waiting[] = [];
  readonly #max: number;
  readonly #places = new Map<Frame, number>();

  constructor(machine: Machine, max: number) {
    this.#max = max;
    let below: Origin | null = null;
    for (let frame = machine.frame; frame !== null; frame = frame.caller) {
      if (frame.unit.prelude) continue;
      const place = this.#add(frame, below);
      below = place === null ? null : { frame: place };
    }
    for (const { id, promise } of machine.open.values()) if (promise !== null) this.#follow(promise, { call: id });
    // The list grows while it is walked.
    for (let place = 0; place < this.frames.length; place++) {
      const { promise } = this.frames[place]!.frame;
      if (promise !== null) this.#follow(promise, { frame: place });
    }
  }

  #follow(from: VPromise, origin: Origin): void {
    const seen = new Set<VPromise>([from]);
    // A set grows while it is walked, too.
    for (const promise of seen) {
      for (const reaction of promise.reactions) {
        const next = this.#waiter(reaction, origin) ? null : settledBy(reaction);
        if (next !== null) seen.add(next);
      }
    }
  }

  #waiter(reaction: Reaction, origin: Origin): boolean {
    if (reaction.kind !== "await" || reaction.frame.unit.prelude) return false;
    this.#add(reaction.frame, origin);
    return true;
  }

  #add(frame: Frame, origin: Origin | null): number | null {
    let place = this.#places.get(frame);
    if (place === undefined) {
      if (this.frames.length >= this.#max) return null;
      place = this.frames.push({ frame, calls: new Set(), frames: new Set() }) - 1;
      this.#places.set(frame, place);
    }
    const waiting = this.frames[place]!;
    if (origin !== null && "call" in origin) waiting.calls.add(origin.call);
    else if (origin !== null) waiting.frames.add(origin.frame);
    return place;
  }
}

function variablesOf(machine: Machine, frame: Frame, offset: number, shower: ValueShower): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  const known = machine.image.program.debug.functions[frame.unit.index]?.variables ?? [];
  const isHere = ({ start, end, ready }: VariableDebug): boolean =>
    start <= frame.position && frame.position < end && ready <= offset;
  const show = (name: string, value: Value): void => {
    Object.defineProperty(variables, name, {
      value: shower.show(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  };
  if (frame.self !== undefined) show("this", frame.self);
  // Those of inner scopes come later, and hide outer ones of their names; what the function has captured is outermost.
  const inOrder = known.filter(isHere).sort((a, b) => Number(a.in !== "captured") - Number(b.in !== "captured"));
  for (const variable of inOrder) {
    const value = valueOf(frame, variable);
    if (value !== UNKNOWN) show(variable.name, value);
  }
  return variables;
}

const UNKNOWN = Symbol("unknown");

/** Programs come from elsewhere: what they say about variables is not relied on. */
function valueOf(frame: Frame, variable: VariableDebug): Value | typeof UNKNOWN {
  const slot = variable.in === "captured" ? frame.cells[variable.index] : frame.registers[variable.index];
  if (variable.in === "register") return plain(slot);
  return slot instanceof VCell ? plain(slot.value) : UNKNOWN;
}

function plain(slot: Slot): Value | typeof UNKNOWN {
  if (typeof slot !== "object" || slot === null) return slot;
  return slot instanceof VCell || "uninit" in slot ? UNKNOWN : slot;
}
