/** The program format, format 1: what the compiler makes and the VM runs. Plain JSON data. */

export const PROGRAM_FORMAT = 1;
export const SEMANTICS = 1;

export interface Program {
  readonly format: number;
  readonly semantics: number;
  /** The workflow's name, a dotted type such as `billing.refund.v1`. */
  readonly name: string;
  readonly functions: readonly FunctionCode[];
  readonly constants: readonly Constant[];
  /** Paths of the built-ins that the code names: `Math`, `Array.prototype.slice`, `cairn.emit`. */
  readonly intrinsics: readonly string[];
  readonly durables: readonly Durable[];
  readonly classes: readonly ErrorClass[];
  /** Module-level constants and helpers, set once by `init` and frozen from then on. */
  readonly globals: readonly GlobalSlot[];
  /** Function without parameters that sets every global, or -1 when there are none. */
  readonly init: number;
  /** The workflow's body. */
  readonly entry: number;
  readonly nodes: readonly ProgramNode[];
  readonly edges: readonly ProgramEdge[];
  /** Arrows that `step()` lifts out of bodies into actions. */
  readonly steps: readonly LiftedStep[];
  /** Not covered by the hash: where things stand in the source. */
  readonly debug: ProgramDebug;
}

export type Constant =
  | string
  | number
  | { readonly bigint: string }
  | { readonly number: "-0" | "NaN" | "Infinity" | "-Infinity" };

export interface FunctionCode {
  /** What `fn.name` reads. */
  readonly name: string;
  /** What `fn.length` reads. */
  readonly length: number;
  /** Arguments arrive in registers 0 … parameters − 1; with `rest`, the others as an array in the next one. */
  readonly parameters: number;
  readonly rest: boolean;
  readonly registers: number;
  readonly async: boolean;
  /** `arrow` and `method` cannot be constructed; `constructor` only constructed. */
  readonly kind: "function" | "arrow" | "method" | "constructor";
  /** Where a closure finds its cells: in a register of the function that creates it, or in that one's captures. */
  readonly captures: readonly Capture[];
  readonly code: readonly number[];
  /** Innermost first. An error thrown at `start <= position < end` continues at `target`, in `register`. */
  readonly handlers: readonly Handler[];
  /** How V8 would print the callee or iterable of the instruction at a position in an error: [position, constant]. */
  readonly texts: readonly (readonly [position: number, constant: number])[];
}

export interface Capture {
  readonly from: "register" | "outer";
  readonly index: number;
}

export interface Handler {
  readonly start: number;
  readonly end: number;
  readonly target: number;
  readonly register: number;
}

export interface GlobalSlot {
  /** For people: `shipping.ts#RATES`. */
  readonly name: string;
}

/** A module-level class that extends a built-in error class or another such class. */
export interface ErrorClass {
  readonly name: string;
  /** Global that holds the parent class, or the path of a built-in (`Error`, `TypeError`). */
  readonly parent: { readonly global: number } | { readonly intrinsic: string };
  /** Function of kind `constructor`. */
  readonly constructorFunction: number;
}

export type DurableKind = "action" | "workflow" | "sleep" | "signal" | "compensate";

/**
 * One reference to something durable. Each reference has a node of its own; references to the same action are
 * the same function to the program (`===`).
 */
export interface Durable {
  readonly kind: DurableKind;
  /** Action or workflow name; the signal's name, or "" for the function `signal` itself; "" for sleep and compensate. */
  readonly name: string;
  readonly node: number;
}

export interface ProgramNode {
  /** Stable and readable: `checkout/for.item/wrap#2`. */
  readonly id: string;
  readonly kind: DurableKind;
  readonly name: string;
  /** The function whose code holds it. */
  readonly function: number;
  /** Enclosing structure, outermost first: `for.item`, `if`, `catch`, `arrow.map`. */
  readonly within: readonly string[];
}

/**
 * A way from node to node that a run may take, for people. −1 − f stands for the start of function f in `from`, and for
 * its end in `to`.
 */
export interface ProgramEdge {
  readonly from: number;
  readonly to: number;
  /**
   * The choice that leads there: `then`, `else`, `case 2`, `loop`, `catch`, `throw`. `undo` is no way: the node, a
   * compensation, hangs off the call of `compensate` that registers it, and runs when the run has failed.
   */
  readonly label?: string;
}

export interface LiftedStep {
  /** Name of the action: `workflow/step`. */
  readonly action: string;
  /** Captured variables, passed by name as one object. */
  readonly captures: readonly string[];
  /** Where its arrow stands, so that a module transform can lift it natively too. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export interface ProgramDebug {
  readonly files: readonly string[];
  /** Per file: the lengths of its lines, with their breaks. */
  readonly lines: readonly (readonly number[])[];
  /** Per function: file, then (position, offset in the file) pairs in order of position. */
  readonly functions: readonly FunctionDebug[];
  readonly sourceHash: string;
}

export interface FunctionDebug {
  readonly file: number;
  readonly spans: readonly number[];
  readonly variables: readonly VariableDebug[];
}

/** Where a variable of the source is found while its function is at `start <= position < end`. */
export interface VariableDebug {
  readonly name: string;
  /** In a register, in a cell whose register this is, or in a cell that the closure has captured. */
  readonly in: "register" | "cell" | "captured";
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** The offset in the file from which on it is initialised. */
  readonly ready: number;
}

/** The prelude is compiled by the same compiler: built-ins that call back, as functions by name. */
export interface Prelude {
  readonly semantics: number;
  readonly functions: readonly FunctionCode[];
  readonly constants: readonly Constant[];
  readonly intrinsics: readonly string[];
  /** Operations of the machine that the code names: `toObject`. */
  readonly hosts: readonly string[];
  /** Function index by name; module-level functions of the prelude call each other through globals of the same index. */
  readonly exports: Readonly<Record<string, number>>;
}
