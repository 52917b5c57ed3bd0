import { encodeNative, type NativeErrorClasses, type Program, type TraceLine } from "@cairnjs/ir";
import { type Image, type Limits, loadProgram } from "@cairnjs/vm";
import { encodeCopy, type EncodedCopy } from "../copy.ts";
import { declaredWorkflow } from "../declared.ts";
import type { WorkflowDefinition } from "../definition.ts";
import { ENGINE_ERRORS } from "../errors.ts";
import { IN_MEMORY } from "../sealing.ts";
import { checkedSignal } from "../signal-value.ts";
import { calledEncoding, checkedEncoding } from "../workflow-input.ts";
import { MetErrors } from "./met-errors.ts";
import { Playground } from "./playground.ts";
import type { EncodedStep, LogLine, RunEvent, RunObserver, Step } from "./report.ts";
import { Stuck, stuckIn } from "./stuck.ts";
import { type FindAction, TriesAtOnce } from "./tries.ts";

/** What a child's name stands for. */
export type ChildWorkflow = Program | Image;

export interface RunOptions {
  /** The workflow's program, or what `loadProgram` made of it. */
  readonly program: ChildWorkflow;
  /** Programs of workflows that it calls or starts, by their names. */
  readonly children?: ReadonlyMap<string, ChildWorkflow>;
  readonly actions?: FindAction;
  readonly input?: unknown;
  /** Values to be sent, in order, whenever the run waits for the signal. */
  readonly signals?: Readonly<Record<string, readonly unknown[]>>;
  /** Seed of a random but repeatable order in which steps end; without it they end in the order they were started. */
  readonly schedule?: string | number;
  /** Between every two instructions, snapshot and go on from what was restored. */
  readonly restoreEverywhere?: boolean;
  /** Where virtual time begins. */
  readonly startAt?: Date;
  readonly limits?: Limits;
  /** Error classes of the actions, so that `instanceof` holds in them for errors that come from the body. */
  readonly errorClasses?: NativeErrorClasses;
  readonly observer?: RunObserver;
}

/** Values in the tagged encoding. */
export interface EncodedReport {
  readonly result?: string;
  readonly error?: string;
  /** Where a failure came from, innermost first. */
  readonly trace: readonly TraceLine[];
  /** In the order they were started. */
  readonly steps: readonly EncodedStep[];
  readonly logs: readonly LogLine[];
  readonly events: readonly RunEvent[];
}

export interface RunReport {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly steps: readonly Step[];
  readonly logs: readonly { readonly at: number; readonly level: string; readonly args: readonly unknown[] }[];
  readonly events: readonly RunEvent[];
}

/**
 * Runs a compiled workflow to its end in this process, on the machine the engine uses, with virtual time. Its
 * actions really run, one at a time, each once unless its options ask for more. Rejects with InvalidInput if the input
 * or a signal does not fit its schema; that of the input is known if a hook has compiled the workflow's module.
 */
export async function runInMemory(options: RunOptions): Promise<RunReport> {
  const errors = errorsOf(options);
  const report = await encodedRun(options, errors);
  const decode = (text: string): unknown => errors.decode(text);
  return {
    ...decoded(report, decode),
    steps: report.steps.map(({ node, action, args, compensation, ...outcome }) => ({
      node,
      action,
      args: decode(args) as unknown[],
      compensation,
      ...decoded(outcome, decode),
    })),
    logs: report.logs.map((line) => ({ ...line, args: decode(line.args) as unknown[] })),
    events: report.events,
  };
}

function decoded(
  { result, error }: { readonly result?: string; readonly error?: string },
  decode: (text: string) => unknown,
): { result?: unknown; error?: unknown } {
  if (result !== undefined) return { result: decode(result) };
  return error === undefined ? {} : { error: decode(error) };
}

/** The same, with all values in the tagged encoding. */
export function runEncoded(options: RunOptions): Promise<EncodedReport> {
  return encodedRun(options, errorsOf(options));
}

function errorsOf({ errorClasses = new Map() }: RunOptions): MetErrors {
  return new MetErrors([...errorClasses, ...ENGINE_ERRORS]);
}

async function encodedRun(options: RunOptions, errors: MetErrors): Promise<EncodedReport> {
  const image = imageOf(options.program);
  const input = await inputFor(image, encodeCopy(options.input, "input", IN_MEMORY));
  const children = options.children ?? new Map<string, ChildWorkflow>();
  const playground = new Playground({
    image,
    input,
    child: (name) => {
      const child = children.get(name);
      return child === undefined ? null : imageOf(child);
    },
    childInput: (child, text, detached) => inputFor(child, { text, classes: errors.classes }, !detached),
    tries: new TriesAtOnce(options.actions ?? (() => undefined), errors),
    signals: encodedSignals(options.signals ?? {}),
    schedule: options.schedule === undefined ? null : String(options.schedule),
    restoreEverywhere: options.restoreEverywhere ?? false,
    startAt: options.startAt?.getTime() ?? START_AT,
    limits: options.limits,
    observer: options.observer ?? {},
  });
  return play(playground);
}

async function play(playground: Playground): Promise<EncodedReport> {
  const { main } = playground;
  let stuck: Stuck | null = null;
  playground.start();
  try {
    while (await playground.turn());
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    stuck = error;
  }
  const lists = { steps: main.steps.map(({ step }) => step), logs: main.logs, events: main.events };
  if (main.ended === null) {
    const error = encodeNative(stuck ?? stuckIn(main), { errorClasses: new Map([["Stuck", Stuck]]) });
    return { error, trace: [], ...lists };
  }
  const { status, value, trace } = main.ended;
  return status === "succeeded" ? { result: value, trace, ...lists } : { error: value, trace, ...lists };
}

/** What the body gets for an input. */
function inputFor(image: Image, copy: EncodedCopy, isCalled = false): string | Promise<string> {
  const definition = definitionOfProgram(image);
  return definition === undefined ? copy.text : checkedText(definition, copy, isCalled);
}

/** A program has no schemas; they are the declaration's, which is in this process if its module was loaded. */
function definitionOfProgram({ program, hash }: Image): WorkflowDefinition | undefined {
  const declared = declaredWorkflow(program.name);
  return declared?.compiled?.hash === hash ? declared : undefined;
}

/** `isCalled`: as a function, by the body of another. */
export function checkedText(
  definition: WorkflowDefinition,
  copy: EncodedCopy,
  isCalled: boolean,
): string | Promise<string> {
  const checked = isCalled ? calledEncoding(definition, copy) : checkedEncoding(definition, copy);
  return checked instanceof Promise ? checked.then(({ text }) => text) : checked.text;
}

/** A fixed date, so that a run says the same today and tomorrow. */
export const START_AT = Date.UTC(2026, 0, 1);

export function imageOf(program: ChildWorkflow): Image {
  return "units" in program ? program : loadProgram(program);
}

export function encodedSignals(signals: Readonly<Record<string, readonly unknown[]>>): Map<string, string[]> {
  const encoded = new Map<string, string[]>();
  for (const [name, values] of Object.entries(signals)) {
    encoded.set(
      name,
      values.map((value, index) => checkedSignal(name, value, `signals.${name}[${index}]`, IN_MEMORY).text),
    );
  }
  return encoded;
}
