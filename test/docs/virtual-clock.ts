import { vi } from "vitest";

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

/**
 * Time of a native run: it stands still until it is told to jump to the next timer, as the machine's does. A test
 * runner's fake `Date` would do for most tests, but its dates are instances of a class of its own, which no run can
 * store; these are plain dates.
 */
export class VirtualClock {
  #now: number;
  readonly #timers = new Map<number, Timer>();
  #made = 0;

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  install(): void {
    vi.stubGlobal("setTimeout", (ring: () => void, ms = 0): number => {
      this.#made += 1;
      this.#timers.set(this.#made, { due: this.#now + ms, ring });
      return this.#made;
    });
    vi.stubGlobal("clearTimeout", (timer: number): void => {
      this.#timers.delete(timer);
    });
    const now = (): number => this.#now;
    const clock = new Proxy(Date, {
      construct: (target, args: unknown[], made: (...args: never) => unknown) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, made) as object,
      get: (target, key) => (key === "now" ? now : (Reflect.get(target, key) as unknown)),
    });
    vi.stubGlobal("Date", clock);
  }

  uninstall(): void {
    vi.unstubAllGlobals();
  }

  /** Rings the timer that is due first, of several the oldest; false if there is none. */
  advance(): boolean {
    const [first] = [...this.#timers].toSorted(([, a], [, b]) => a.due - b.due);
    if (first === undefined) return false;
    const [id, { due, ring }] = first;
    this.#timers.delete(id);
    this.#now = Math.max(this.#now, due);
    ring();
    return true;
  }
}
