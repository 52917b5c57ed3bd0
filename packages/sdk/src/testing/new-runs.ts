import type { Image, Input, Limits, RunInfo } from "@cairnjs/vm";
import type { LocalRun } from "./local-run.ts";
import { MachineDriver } from "./machine-driver.ts";

export interface NewRunOptions {
  readonly restoreEverywhere: boolean;
  readonly startAt: number;
  readonly limits: Limits | undefined;
}

/** Makes the runs of a playground. Owns: how many there are, which their ids count. */
export class NewRuns {
  readonly #options: NewRunOptions;
  #count = 0;

  constructor(options: NewRunOptions) {
    this.#options = options;
  }

  make(image: Image, input: string, depth: number, detached = false): LocalRun {
    const { limits, restoreEverywhere } = this.#options;
    return {
      id: this.id(),
      image,
      program: image.program,
      input,
      driver: new MachineDriver(image, limits, restoreEverywhere),
      depth,
      detached,
      open: new Map(),
      nodes: new Map(),
      children: [],
      steps: [],
      logs: [],
      events: [],
      ended: null,
    };
  }

  /** A UUID of version 7, as the engine's ids are; the same one every time. */
  id(): string {
    this.#count += 1;
    const time = Math.max(0, this.#options.startAt).toString(16).padStart(12, "0").slice(-12);
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${this.#count.toString(16).padStart(12, "0")}`;
  }
}

/** What sets a run going. */
export function startInput({ id, program, image, input }: LocalRun, at: number, parent: string | null): Input {
  const version = image.hash.slice(0, 12);
  const about = { namespace: "default", attempt: 1, startedAt: at, parent, tags: [] };
  const info: RunInfo = { id, type: program.name, version, ...about };
  return { kind: "start", at, value: input, seed: id, info };
}
