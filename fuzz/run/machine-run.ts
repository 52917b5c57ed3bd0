import { encodeNative } from "@cairnjs/ir";
import {
  type Delivery,
  type Effect,
  type Image,
  type Input,
  type Limits,
  type Machine,
  defaultLimits,
  deliver,
  newMachine,
  proceed,
} from "@cairnjs/vm";
import { RUN_INFO } from "./native-run.ts";
import { type Given, type Line, type OpenCall, type Subject, line, unhandledLine } from "./transcript.ts";

interface MachineOpen extends OpenCall {
  readonly id: string;
}

/** Generated bodies are small: a program that needs more has gone wrong. */
export const FUZZ_LIMITS: Limits = { ...defaultLimits, fuelPerInputMax: 20_000_000, stateBytesMax: 32 * 1024 * 1024 };

/** Carries the machine from one slice to the next: the same machine, or one restored from its snapshot. */
export interface Between {
  readonly slice: number;
  restore(machine: Machine): Machine;
}

/** The other side: the program on the machine, one input per end. */
export class MachineRun implements Subject {
  readonly lines: Line[] = [];
  open: MachineOpen[] = [];
  ended = false;
  machine: Machine;
  readonly #between: Between | null;
  readonly #unhandled: string[] = [];
  #count = 0;

  constructor(image: Image, between: Between | null = null) {
    this.machine = newMachine(image, FUZZ_LIMITS);
    this.#between = between;
  }

  async start(input: string, at: number): Promise<void> {
    this.#deliver({ kind: "start", at, value: input, seed: "fuzz", info: { ...RUN_INFO, startedAt: at } });
  }

  async give(given: Given, at: number): Promise<void> {
    switch (given.kind) {
      case "result":
        return this.#deliver({ kind: "result", at, call: this.#take(given.call), value: given.value });
      case "error":
        return this.#deliver({ kind: "error", at, call: this.#take(given.call), error: given.error });
      case "timer":
        return this.#deliver({ kind: "timer", at, call: this.#take(given.call) });
      case "signal":
        return this.#deliver({ kind: "signal", at, name: given.name, value: given.value });
      case "cancel":
        this.open = this.open.filter(({ kind }) => kind === "compensation");
        return this.#deliver({ kind: "cancel", at, reason: given.reason });
    }
  }

  #take(number: number): string {
    const index = this.open.findIndex((call) => call.number === number);
    return this.open.splice(index, 1)[0]!.id;
  }

  #deliver(input: Input): void {
    const between = this.#between;
    let delivery: Delivery = deliver(this.machine, input, between?.slice);
    while (!delivery.done) {
      this.machine = between!.restore(this.machine);
      delivery = proceed(this.machine, between!.slice);
    }
    for (const effect of delivery.effects) this.#note(effect);
    if (between !== null && !this.ended) this.machine = between.restore(this.machine);
  }

  #note(effect: Effect): void {
    switch (effect.kind) {
      case "call":
        return this.#issue(
          effect.compensation ? "compensation" : "call",
          effect.id,
          effect.action,
          null,
          effect.options,
          effect.args,
        );
      case "child":
        return this.#issue(
          effect.detached ? "start" : "child",
          effect.id,
          effect.workflow,
          null,
          effect.options,
          effect.input,
        );
      case "sleep":
        return this.#issue("sleep", effect.id, "", effect.until, null, "");
      case "wait":
        return this.#issue("wait", effect.id, effect.signal, effect.until, null, "");
      case "taken": {
        const index = this.open.findIndex(({ id }) => id === effect.wait);
        this.lines.push(line("taken", [this.open.splice(index, 1)[0]?.number ?? 0], [effect.value]));
        return;
      }
      case "log":
        this.lines.push(line("log", [effect.level], [effect.args]));
        return;
      case "emit":
        this.lines.push(line("emit", [effect.type], [effect.data]));
        return;
      case "progress":
        this.lines.push(line("progress", [], [effect.value]));
        return;
      case "compensation":
        this.lines.push(line("compensation", [effect.action], [effect.args]));
        return;
      case "compensationFailed":
        this.lines.push(line("compensationFailed", [this.#count], [effect.error]));
        return;
      case "abandon":
        this.open = this.open.filter(({ id }) => id !== effect.call);
        return;
      case "warning":
        if (effect.code === "UnhandledRejection") this.#unhandled.push(effect.detail);
        return;
      case "end":
        this.#end(effect);
    }
  }

  #issue(
    kind: OpenCall["kind"],
    id: string,
    name: string,
    until: number | null,
    options: string | null,
    args: string,
  ): void {
    const number = ++this.#count;
    const what = kind === "start" ? "child" : kind === "compensation" ? "call" : kind;
    this.lines.push(line(what, [kind, name, until, options], args === "" ? [] : [args]));
    this.open.push({ number, kind, name, args, until, id });
  }

  #end(effect: Extract<Effect, { kind: "end" }>): void {
    this.ended = true;
    const engine = engineError(effect.value);
    if (effect.status === "failed" && engine !== null) {
      this.lines.push(line("engine", [engine.code, engine.message]));
      return;
    }
    this.lines.push(line("end", [effect.status], [effect.value]));
    this.lines.push(unhandledLine(this.#unhandled));
  }
}

const ENGINE_CODES = [
  "UnsupportedBuiltin",
  "OutOfFuel",
  "StateTooLarge",
  "TooManyPromises",
  "CapturedValueWritten",
  "Diverged",
];

function engineError(value: string): { readonly code: string; readonly message: string } | null {
  const match = /^\{"\$error":\{"names":\["(\w+)","Error"\]/.exec(value);
  if (match === null || !ENGINE_CODES.includes(match[1]!)) return null;
  const parsed = JSON.parse(value) as { $error: { message: string } };
  return { code: match[1]!, message: parsed.$error.message };
}

/** The text that a body without input gets. */
export const NO_INPUT = encodeNative(undefined);
