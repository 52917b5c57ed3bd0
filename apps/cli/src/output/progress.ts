import type { Output } from "./output.ts";

const WIDTH = 24;
const EVERY_MS = 100;

/** How far long work is, in one line that stays in its place; only for people who watch. */
export class Progress {
  readonly #output: Output;
  readonly #what: string;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(output: Output, what: string) {
    this.#output = output;
    this.#what = what;
  }

  /** `total` is null as long as it is not known. */
  show(done: number, total: number | null): void {
    const now = performance.now();
    if (now - this.#shownAt < EVERY_MS && done !== total) return;
    this.#shownAt = now;
    const count = total === null ? `${done}` : `${bar(done, total)} ${done}/${total}`;
    this.#output.status(`${this.#what} ${count}`);
  }

  end(): void {
    this.#output.status("");
  }
}

function bar(done: number, total: number): string {
  const full = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
  return `[${"█".repeat(full)}${"░".repeat(WIDTH - full)}]`;
}
