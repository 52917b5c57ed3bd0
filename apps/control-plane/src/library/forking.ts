import type * as client from "cairnjs/client";
import { newRunId } from "../ids.ts";
import type { ForkOrder } from "../runloop/turning.ts";
import { type EffectsPolicy, forkRun } from "../store/fork-run.ts";
import { loadRuns } from "../store/load-runs.ts";
import { deletedError, EngineError } from "./engine-error.ts";
import { findWithProgram, type Sources } from "./rebuilding.ts";
import { checkState } from "./rolling-back.ts";
import { checkBoolean, checkNames, checkStartOptions, checkText, NAME_LENGTH_MAX, refuse } from "./start-options.ts";
import { StartSpan } from "./start-span.ts";

export interface ForkOptions extends client.ForkOptions {
  /** The span that the fork belongs to, as W3C's `traceparent` says it; without it, the one that is active where it is called. */
  readonly traceparent?: string;
}

const KNOWN = new Set(["id", "effects", "compensations", "keepChance", "priority", "tags", "deadline", "traceparent"]);
const ALLOWED_MAX = 1_000;

/** Starts a run with the state of another after an input; returns its id. */
export async function fork(
  sources: Sources,
  from: string,
  number: number,
  options: ForkOptions,
  now: number,
): Promise<string> {
  const effects = checkedOptions(options, now);
  const { id: wanted, compensations = false, keepChance = false, tags = [], priority, deadline } = options;
  const { row } = await findWithProgram(sources, from);
  if (row.deleted) throw deletedError(from);
  const { origin, phase } = await checkState(sources, from, number);
  if (phase === "compensating" && !compensations) {
    throw new EngineError(
      "WrongStatus",
      `After input ${number} the run ${from} was undoing what it had done, which stays with it: choose a state before that, or pass compensations`,
    );
  }
  const id = wanted?.toLowerCase() ?? newRunId(now);
  const { namespace, type } = row;
  const span = new StartSpan({ namespace, type, traceparent: options.traceparent });
  try {
    const isForked = await forkRun(sources.client, {
      id,
      traceparent: span.traceparent,
      from: origin,
      number,
      effects,
      priority: priority ?? null,
      tags,
      deadline: deadline?.getTime() ?? null,
      order: JSON.stringify({ compensations, keepChance } satisfies ForkOrder),
    });
    if (!isForked) await checkEarlier(sources, id, origin, number);
    span.started(id, !isForked);
    return id;
  } catch (error) {
    span.failed(error);
    throw error;
  }
}

function checkedOptions(options: ForkOptions, now: number): EffectsPolicy | null {
  checkNames("A fork", options, KNOWN);
  const { effects = "forbidden", compensations, keepChance, ...start } = options;
  checkStartOptions(start, now);
  for (const [name, value] of Object.entries({ compensations, keepChance })) {
    if (value !== undefined) checkBoolean(name, value);
  }
  if (effects === "allowed") return null;
  if (effects === "forbidden") return { allow: [] };
  if (typeof effects !== "object" || effects === null || !Array.isArray(effects.allow)) {
    refuse('effects is "forbidden", "allowed", or { allow: [names] }');
  }
  checkNames("effects", effects, new Set(["allow"]));
  if (effects.allow.length > ALLOWED_MAX) refuse(`effects.allow has at most ${ALLOWED_MAX} names`);
  effects.allow.forEach((name, index) => checkText(`effects.allow[${index}]`, name, 1, NAME_LENGTH_MAX));
  return { allow: effects.allow };
}

/** A run with this id was there: the same fork, asked for again, or another run. */
async function checkEarlier(sources: Sources, id: string, from: string, number: number): Promise<void> {
  const [row] = await loadRuns(sources.client, [id]);
  if (row?.forkedFrom === from && row.forkedNumber === number) return;
  if (row === undefined) throw deletedError(from);
  throw new EngineError("IdConflict", `The id ${id} is that of another run`);
}
