import type { Program } from "@cairnjs/ir";
import type { Effect, Image } from "@cairnjs/vm";
import type { Outcome } from "../attempts.ts";
import type { MachineDriver } from "./machine-driver.ts";
import type { EncodedStep, Ended, LogLine, RunEvent } from "./report.ts";

/** A run of a workflow in this process: the one asked for, or a child of it. */
export interface LocalRun {
  readonly id: string;
  readonly image: Image;
  readonly program: Program;
  /** In the tagged encoding. */
  input: string;
  readonly driver: MachineDriver;
  readonly depth: number;
  /** Started to live on its own. */
  readonly detached: boolean;
  /** Steps that wait for an input, by call id, in the order they were started. */
  readonly open: Map<string, OpenStep>;
  /** Node ids of all calls so far. */
  readonly nodes: Map<string, string>;
  readonly children: LocalRun[];
  /** What it did, each in order. */
  readonly steps: StepRecord[];
  readonly logs: LogLine[];
  readonly events: RunEvent[];
  ended: Ended | null;
}

/** What is known of a step, from its start on. */
export interface StepRecord {
  readonly call: string;
  readonly step: EncodedStep;
  readonly startedAt: number;
  /** With what each streamed. */
  readonly attempts: { readonly at: number; readonly chunks: string[]; error?: string }[];
  endedAt: number | null;
  /** The run no longer wanted it. */
  abandoned: boolean;
}

type StepEffect<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

interface Opened {
  readonly run: LocalRun;
  readonly record: StepRecord;
  /** Counts over all runs. */
  readonly number: number;
}

export type CallStep = Opened & {
  readonly kind: "call";
  readonly effect: StepEffect<"call">;
  /** Nobody but the test ends it. */
  readonly held: boolean;
  /** It stands for a child that was started to live on its own: whatever it gives, the answer is this id. */
  readonly detachedId: string | null;
  later: Later | null;
};

export type ChildStep = Opened & {
  readonly kind: "child";
  readonly effect: StepEffect<"child">;
  /** Null when there is no such workflow, or it has not begun. */
  child: LocalRun | null;
  /** It begins when its input has been checked. */
  checking: { readonly image: Image; readonly input: Promise<string> } | null;
  /** Why its input was refused: an encoded error. */
  refusal: string | null;
};

/** A try has been made, and virtual time must go on: then it ends so, or with null another one is made. */
export interface Later {
  /** Infinity: it never ends. */
  readonly at: number;
  readonly outcome: Outcome | null;
}

export type OpenStep =
  | CallStep
  | ChildStep
  | (Opened & { readonly kind: "sleep"; readonly effect: StepEffect<"sleep"> })
  | (Opened & { readonly kind: "wait"; readonly effect: StepEffect<"wait"> });

/** When virtual time alone lets the step go on, or null. */
export function dueTime(step: OpenStep): number | null {
  switch (step.kind) {
    case "sleep":
    case "wait":
      return step.effect.until;
    case "call":
      return step.later === null || step.later.at === Number.POSITIVE_INFINITY ? null : step.later.at;
    case "child":
      return null;
  }
}
