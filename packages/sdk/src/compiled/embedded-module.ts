import type { NativeErrorClass } from "@cairnjs/ir";
import type { CompiledDefinition } from "../definition.ts";

/** What the transform writes into a module, and this package reads: the two must be of one release. */
export interface EmbeddedModule {
  /** The file, relative to the project, and a digest of its text: two projects may have a file of one name. */
  readonly id: string;
  /** URL or path of the module. */
  readonly module: string;
  /** `start:end` of each step's arrow in the source. */
  readonly places: readonly string[];
  /** The arrow of the step at an index of `places`, as a function of what it captures. */
  readonly lifted: (index: number) => LiftedArrow;
  readonly workflows: readonly EmbeddedWorkflow[];
  /** Programs of functions that make keys, as JSON texts. */
  readonly keys: readonly string[];
  /** Texts of the files that its workflows have code from: engine and dashboard show them. */
  readonly sources: Readonly<Record<string, string>>;
  /** Error classes that its workflows know, by their names in the source. */
  readonly errors: () => Readonly<Record<string, NativeErrorClass>>;
}

export interface EmbeddedWorkflow {
  readonly hash: string;
  readonly version: string;
  readonly inputSchema: CompiledDefinition["inputSchema"];
  readonly input: CompiledDefinition["input"];
  /** JSON text: most processes never need it. */
  readonly program: string;
  /** For each step of the program that stands in another module, that module's id. */
  readonly modules: Readonly<Record<string, string>>;
}

export type LiftedArrow = (captures: unknown) => Promise<unknown>;
