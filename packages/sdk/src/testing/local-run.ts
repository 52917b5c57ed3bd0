import type { Program } from "@cairnjs/ir";
import type { Effect, Image } from "@cairnjs/vm";
import type { MachineDriver } from "./machine-driver.ts";
import type { Ended, EncodedStep } from "./report.ts";

/** A run of a workflow in this process: the one asked for, or a child of it. */
export interface LocalRun {
  readonly id: string;
  readonly image: Image;
  readonly program: Program;
  readonly driver: MachineDriver;
  readonly depth: number;
  /** Started to live on its own. */
  readonly detached: boolean;
  /** Steps that wait for an input, by call id, in the order they were started. */
  readonly open: Map<string, OpenStep>;
  /** Node ids of all calls so far. */
  readonly nodes: Map<string, string>;
  ended: Ended | null;
}

type StepEffect<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

interface Opened {
  readonly run: LocalRun;
  readonly record: EncodedStep;
  /** Counts over all runs. */
  readonly number: number;
}

export type OpenStep = Opened &
  (
    | { readonly kind: "call"; readonly effect: StepEffect<"call"> }
    /** The child is null when there is no such workflow. */
    | { readonly kind: "child"; readonly effect: StepEffect<"child">; readonly child: LocalRun | null }
    | { readonly kind: "sleep"; readonly effect: StepEffect<"sleep"> }
    | { readonly kind: "wait"; readonly effect: StepEffect<"wait"> }
  );

/** When virtual time alone lets the step end, or null. */
export function dueTime(step: OpenStep): number | null {
  return step.kind === "sleep" || step.kind === "wait" ? step.effect.until : null;
}
