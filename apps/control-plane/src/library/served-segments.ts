import { segmentOf } from "../hub/names.ts";
import { ROOM_OF_ALL } from "../runloop/pools.ts";

/**
 * Owns: which jobs are claimed by this process, in library mode: those whose types begin like the names of its actions, but
 * for segments that are left to others for a while.
 */
export class ServedSegments {
  readonly #namespace: string;
  readonly #tell: (served: ReadonlyMap<string, number>) => void;
  #segments: ReadonlySet<string> = new Set();
  readonly #left = new Map<string, NodeJS.Timeout>();

  constructor(namespace: string, tell: (served: ReadonlyMap<string, number>) => void) {
    this.#namespace = namespace;
    this.#tell = tell;
  }

  /** As runloops are told. */
  get served(): ReadonlyMap<string, number> {
    const segments = [...this.#segments].filter((segment) => !this.#left.has(segment));
    return new Map(segments.map((segment) => [`${this.#namespace}:${segment}`, ROOM_OF_ALL]));
  }

  /** By names of actions. */
  serve(actions: Iterable<string>): void {
    this.#segments = new Set(Array.from(actions, segmentOf));
    this.#tell(this.served);
  }

  leave(segment: string, forMs: number): void {
    if (this.#left.has(segment)) return;
    const back = (): void => {
      this.#left.delete(segment);
      this.#tell(this.served);
    };
    this.#left.set(segment, setTimeout(back, forMs));
    this.#tell(this.served);
  }

  close(): void {
    for (const timer of this.#left.values()) clearTimeout(timer);
  }
}
