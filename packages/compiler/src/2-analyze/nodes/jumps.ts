import type { End, Flow } from "./flow.ts";

export type Jump =
  | { readonly kind: "break" | "continue"; readonly label: string | null }
  | { readonly kind: "return" | "throw" };

/** A construct that jumps from inside it may lead to: the ends it gathers for a jump, null for one that passes it. */
export type Landing = (jump: Jump) => End[] | null;

/** Knows where `break`, `continue`, `return` and `throw` lead, innermost last. */
export class Jumps {
  readonly #flow: Flow;
  #landings: Landing[] = [];

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  within(landing: Landing, walk: () => void): void {
    this.#landings.push(landing);
    walk();
    this.#landings.pop();
  }

  /** Walks a function that runs at another time: no jump leads out of it. */
  apart(landing: Landing, walk: () => void): void {
    const outer = this.#landings;
    this.#landings = [landing];
    walk();
    this.#landings = outer;
  }

  /** Control leaves from where it is; what follows is not reached this way. */
  jump(jump: Jump): void {
    const { ends } = this.#flow;
    this.#flow.ends = [];
    for (const landing of this.#landings.toReversed()) {
      const gathered = landing(jump);
      if (gathered === null) continue;
      gathered.push(...ends);
      return;
    }
  }
}

/** A loop, or a statement that `break` can leave. */
export interface Target {
  readonly labels: readonly string[];
  /** A `break` without a label leaves it. */
  readonly isPlain: boolean;
  readonly breaks: End[];
  /** null unless it is a loop. */
  readonly continues: End[] | null;
}

export function landingOn({ labels, isPlain, breaks, continues }: Target): Landing {
  return (jump) => {
    if (jump.kind !== "break" && jump.kind !== "continue") return null;
    if (jump.label !== null && !labels.includes(jump.label)) return null;
    if (jump.kind === "continue") return continues;
    return jump.label !== null || isPlain ? breaks : null;
  };
}
