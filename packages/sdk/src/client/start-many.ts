import type { Problem } from "@cairnjs/schemas/rest";
import { CairnError } from "./cairn-error.ts";
import { isPlain } from "./contained.ts";
import type { RunHandle } from "./run-handle.ts";
import { bodyOf, type PreparedStart } from "./start.ts";
import { partsOf } from "./start-parts.ts";
import type { Transport } from "./transport.ts";

/** What became of one of many starts. */
export type StartOutcome<Result = unknown> =
  | { readonly run: RunHandle<Result>; readonly existed: boolean }
  | { readonly error: CairnError };

/** A start that may be done: with this id it can be repeated, and is one run. */
export interface StartInDoubt {
  readonly inDoubt: string;
}

/** Some of many starts were refused; the others are there. */
export class StartsRefused<Result = unknown> extends CairnError {
  /** In the order of the starts. */
  readonly outcomes: readonly StartOutcome<Result>[];

  constructor(outcomes: readonly StartOutcome<Result>[]) {
    const errors = outcomes.flatMap((each) => ("error" in each ? [each.error] : []));
    const first = errors[0]!;
    super("StartsRefused", `${errors.length} of ${outcomes.length} starts were refused: ${first.detail}`, first.status);
    this.outcomes = outcomes;
  }
}

/** Many starts ended before all were asked for; `cause` says why. */
export class StartsInterrupted<Result = unknown> extends CairnError {
  /** Of the first ones, in the order of the starts. Those behind them were not asked for. */
  readonly outcomes: readonly (StartOutcome<Result> | StartInDoubt)[];

  constructor(outcomes: readonly (StartOutcome<Result> | StartInDoubt)[], cause: unknown) {
    const of = (key: string): number => outcomes.filter((each) => key in each).length;
    const counts = `${of("run")} starts are done, ${of("error")} refused and ${of("inDoubt")} in doubt`;
    const why = cause instanceof Error ? cause.message : String(cause);
    const status = cause instanceof CairnError ? cause.status : 0;
    super("StartsInterrupted", `${counts}: ${why}`, status, { cause });
    this.outcomes = outcomes;
  }
}

/** What it takes to start many. */
interface StartContext {
  readonly transport: Transport;
  readonly newId: () => string;
  readonly readClock: () => Promise<void>;
  readonly runOf: (id: string) => RunHandle;
}

type Outcomes = (StartOutcome | StartInDoubt)[];

/** A start, and where its outcome belongs. */
interface Placed {
  readonly start: PreparedStart;
  readonly place: number;
}

type StartedItem = { readonly id: string; readonly existed: boolean } | { readonly problem: Problem };

/** Something else, such as the input itself, would start a run without one. */
export function checkStart(start: unknown): void {
  if (typeof start === "object" && start !== null && ("input" in start || isPlain(start))) return;
  const what = Object.prototype.toString.call(start).slice("[object ".length, -1);
  throw new TypeError(`startMany() takes { input, … } for each start, not something of the kind ${what}`);
}

/** Part by part. What is wrong with the first one is thrown as it is if nothing can have come of it. */
export async function startAll(all: AsyncIterable<PreparedStart>, context: StartContext): Promise<RunHandle[]> {
  const outcomes: Outcomes = [];
  try {
    for await (const part of partsOf(all)) await startPart(part, outcomes, context);
  } catch (error) {
    if (outcomes.length === 0) throw error;
    throw new StartsInterrupted(outcomes, error);
  }
  const known = outcomes.flatMap((each) => ("inDoubt" in each ? [] : [each]));
  if (known.some((each) => "error" in each)) throw new StartsRefused(known);
  return known.flatMap((each) => ("run" in each ? [each.run] : []));
}

/** A second time if the clock here is wrong: what was refused for that is not there. */
async function startPart(part: readonly PreparedStart[], outcomes: Outcomes, context: StartContext): Promise<void> {
  const from = outcomes.length;
  const placed = part.map((start, index): Placed => ({ start, place: from + index }));
  await ask(placed, outcomes, context);
  const mistimed = placed.filter(({ start, place }) => start.id === undefined && isMistimed(outcomes[place]!));
  if (mistimed.length === 0) return;
  await context.readClock();
  await ask(mistimed, outcomes, context);
}

async function ask(placed: readonly Placed[], outcomes: Outcomes, context: StartContext): Promise<void> {
  const ids = placed.map(({ start }) => start.id ?? context.newId());
  const runs = placed.map(({ start }, index) => bodyOf(start, ids[index]!));
  const { items } = await context.transport.ask<{ items: readonly StartedItem[] }>({
    method: "POST",
    path: "/runs/batch",
    body: `{"runs":[${runs.join(",")}]}`,
    repeatable: true,
    onDoubt: () => {
      for (const [index, { place }] of placed.entries()) outcomes[place] = { inDoubt: ids[index]! };
    },
  });
  for (const [index, { place }] of placed.entries()) outcomes[place] = outcomeOf(items[index]!, context);
}

function outcomeOf(item: StartedItem, { runOf }: StartContext): StartOutcome {
  if ("id" in item) return { run: runOf(item.id), existed: item.existed };
  const { code, detail, status } = item.problem;
  return { error: new CairnError(code, detail, status) };
}

function isMistimed(outcome: StartOutcome | StartInDoubt): boolean {
  return "error" in outcome && isInvalidId(outcome.error);
}

export function isInvalidId(error: unknown): boolean {
  return error instanceof CairnError && error.code === "InvalidId";
}
