import type { ControlPlaneFrame } from "@cairnjs/protocol";
import type { CallRef, Dispatch } from "@cairnjs/schemas";
import { RawWorker, refOf } from "./test-worker.ts";

const keyOf = ({ runId, call, attempt }: CallRef): string => `${runId}/${call}/${attempt}`;

/** Sees what workers do. */
export interface CallObserver {
  began(call: Dispatch): void;
  ended(call: Dispatch): void;
}

const NOBODY: CallObserver = { began: () => {}, ended: () => {} };

/** One that does what the protocol says, as small as can be: a stream to each control plane, which comes back when it breaks. */
export class LastingWorker {
  readonly #workerId: string;
  readonly #streams = new Map<number, RawWorker>();
  readonly #running = new Map<string, Dispatch>();
  /** Outcomes, until someone says that they are durable, or not wanted. */
  readonly #held = new Map<string, { readonly call: Dispatch; readonly json: string }>();
  readonly #capacity: number;
  readonly #delayMs: () => number;
  readonly #observer: CallObserver;
  #over = false;

  constructor(workerId: string, capacity: number, delayMs: () => number, observer: CallObserver = NOBODY) {
    this.#workerId = workerId;
    this.#capacity = capacity;
    this.#delayMs = delayMs;
    this.#observer = observer;
  }

  /** Keeps a stream to a control plane from now on. */
  join(port: number): void {
    if (this.#over) return;
    const stream = new RawWorker(port, { workerId: this.#workerId, capacity: this.#capacity });
    stream.heard = (frame) => this.#hear(stream, frame);
    stream.broken = () => setTimeout(() => (this.#streams.get(port) === stream ? this.join(port) : undefined), 50);
    this.#streams.set(port, stream);
    stream.connect();
    stream.say({ hello: stream.hello });
  }

  leave(port: number): void {
    this.#streams.get(port)?.break();
    this.#streams.delete(port);
  }

  /** Breaks a stream, which comes back. */
  break(port: number): void {
    this.#streams.get(port)?.break();
  }

  end(): void {
    this.#over = true;
    for (const port of this.#streams.keys()) this.leave(port);
  }

  #hear(stream: RawWorker, frame: ControlPlaneFrame): void {
    if (frame.welcome !== undefined || frame.askInFlight === true) this.#sayAll(stream);
    for (const each of [...(frame.acknowledged ?? []), ...(frame.cancels ?? [])]) {
      this.#held.delete(keyOf(each));
      this.#running.delete(keyOf(each));
    }
    for (const call of frame.dispatches ?? []) {
      this.#running.set(keyOf(call), call);
      this.#observer.began(call);
      setTimeout(() => this.#ended(call), this.#delayMs());
    }
  }

  #sayAll(stream: RawWorker): void {
    const calls = [...this.#running.values(), ...Array.from(this.#held.values(), ({ call }) => call)].map(refOf);
    stream.say({ inFlight: { calls, more: false } });
    for (const { call, json } of this.#held.values()) stream.answer(call, json);
    this.#credit();
  }

  #ended(call: Dispatch): void {
    if (!this.#running.delete(keyOf(call))) return;
    this.#observer.ended(call);
    const [value] = JSON.parse((call.args as { json: string }).json) as [unknown];
    const json = JSON.stringify(value);
    this.#held.set(keyOf(call), { call, json });
    for (const stream of this.#streams.values()) stream.answer(call, json);
    this.#credit();
  }

  #credit(): void {
    const free = Math.max(0, Math.floor((this.#capacity - this.#running.size) / Math.max(1, this.#streams.size)));
    for (const stream of this.#streams.values()) if (stream.isWelcome) stream.credit(free);
  }
}
