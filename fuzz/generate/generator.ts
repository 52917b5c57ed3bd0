import type { Random } from "../run/random.ts";

/** What the generator knows about a value: enough for most programs to do something meaningful. */
export type Type =
  | "number"
  | "string"
  | "boolean"
  | "bigint"
  | "array"
  | "object"
  | "map"
  | "set"
  | "date"
  | "error"
  | "promise"
  | "function"
  | "any";

/** Types of values whose coercions to text and number do not depend on V8's printing. */
const PLAIN_TYPES: readonly Type[] = ["number", "string", "boolean", "bigint", "array", "object", "any"];

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly assignable: boolean;
}

/** One way to write a piece of source. All tables of these together are the generator. */
export interface Production {
  readonly name: string;
  readonly weight: number;
  readonly when?: (g: Generator) => boolean;
  readonly write: (g: Generator) => string;
}

/** What the module declares, for bodies to use. */
export interface ModuleNames {
  readonly actions: readonly string[];
  readonly errorClasses: readonly string[];
  readonly helpers: readonly { readonly name: string; readonly async: boolean; readonly parameters: number }[];
  readonly constants: readonly Variable[];
}

/** How to write one piece: set by the tables, since statements and expressions contain each other. */
export interface Writers {
  statement(g: Generator): string;
  expression(g: Generator, type: Type): string;
}

const DEPTH_MAX = 6;

/** The state of writing one module: names in scope, what may stand here, how much is left. */
export class Generator {
  readonly random: Random;
  readonly module: ModuleNames;
  readonly #writers: Writers;
  #scopes: Variable[][] = [[]];
  #count = 0;
  /** Pieces that may still be written. */
  budget: number;
  depth = 0;
  inAsync = true;
  /** Loops around here in this function. */
  loops = 0;
  inSwitch = false;
  labels: readonly { readonly name: string; readonly isLoop: boolean }[] = [];
  functions = 0;
  hasThis = false;
  steps = 0;

  constructor(random: Random, module: ModuleNames, writers: Writers, budget: number) {
    this.random = random;
    this.module = module;
    this.#writers = writers;
    this.budget = budget;
    this.#scopes = [[...module.constants]];
  }

  /** A name that nothing else in the module has. */
  fresh(prefix: string): string {
    return `${prefix}${++this.#count}`;
  }

  declare(name: string, type: Type, assignable = true): void {
    this.#scopes.at(-1)!.push({ name, type, assignable });
  }

  variables(type: Type): Variable[] {
    const all = this.#scopes.flat();
    if (type === "any") return all.filter((variable) => PLAIN_TYPES.includes(variable.type));
    return all.filter((variable) => variable.type === type);
  }

  assignable(type: Type): Variable[] {
    return this.variables(type).filter(({ assignable }) => assignable);
  }

  scoped<T>(write: () => T): T {
    this.#scopes.push([]);
    try {
      return write();
    } finally {
      this.#scopes.pop();
    }
  }

  /** Inside a function: no loops or labels from outside. */
  inFunction<T>(options: { readonly async: boolean; readonly hasThis?: boolean }, write: () => T): T {
    const { inAsync, loops, labels, hasThis, inSwitch } = this;
    this.inAsync = options.async;
    this.hasThis = options.hasThis ?? this.hasThis;
    this.loops = 0;
    this.inSwitch = false;
    this.labels = [];
    this.functions++;
    try {
      return this.scoped(write);
    } finally {
      this.inAsync = inAsync;
      this.hasThis = hasThis;
      this.loops = loops;
      this.labels = labels;
      this.inSwitch = inSwitch;
      this.functions--;
    }
  }

  /** An expression inside an arrow that is not async. */
  inArrow(type: Type): string {
    return this.inFunction({ async: false }, () => this.expression(type));
  }

  inLoop<T>(write: () => T): T {
    this.loops++;
    const { inSwitch } = this;
    this.inSwitch = false;
    try {
      return this.scoped(write);
    } finally {
      this.loops--;
      this.inSwitch = inSwitch;
    }
  }

  labelled<T>(name: string, isLoop: boolean, write: () => T): T {
    const { labels } = this;
    this.labels = [...labels, { name, isLoop }];
    try {
      return write();
    } finally {
      this.labels = labels;
    }
  }

  get isFull(): boolean {
    return this.budget <= 0 || this.depth >= DEPTH_MAX;
  }

  /** Picks a production by weight among those that fit here. */
  choose(table: readonly Production[]): Production {
    const fitting = table.filter(({ when }) => when === undefined || when(this));
    let left = this.random.below(fitting.reduce((sum, { weight }) => sum + weight, 0));
    for (const production of fitting) {
      left -= production.weight;
      if (left < 0) return production;
    }
    return fitting.at(-1)!;
  }

  statement(): string {
    this.budget--;
    this.depth++;
    try {
      return this.#writers.statement(this);
    } finally {
      this.depth--;
    }
  }

  /** Some statements in a scope of their own. */
  block(count = 1 + this.random.below(3)): string {
    return this.scoped(() => this.lines(count));
  }

  lines(count: number): string {
    const written: string[] = [];
    for (let index = 0; index < count; index++) written.push(this.statement());
    return written.join("\n");
  }

  expression(type: Type): string {
    this.budget--;
    this.depth++;
    try {
      return this.#writers.expression(this, type);
    } finally {
      this.depth--;
    }
  }

  /** An expression of a random plain type. */
  any(): string {
    return this.expression("any");
  }

  /** A log line with a tag of its own. */
  log(...values: readonly string[]): string {
    return `console.log(${[JSON.stringify(this.fresh("L")), ...values].join(", ")});`;
  }

  pick<T>(items: readonly T[]): T {
    return this.random.pick(items);
  }

  chance(probability: number): boolean {
    return this.random.chance(probability);
  }

  get await(): string {
    return this.inAsync ? "await " : "";
  }
}
