import { Lineage } from "../runloop/lineage.ts";
import { type InputRow, loadInputs } from "../store/list-inputs.ts";
import { loadRollbacks } from "../store/load-checkpoint.ts";
import { type HistoryKind, NUMBER_MAX } from "../store/load-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { findWithProgram, type Sources } from "./rebuilding.ts";

/** Something that a run has taken, for people. */
export interface RunInput {
  readonly number: number;
  readonly kind: HistoryKind;
  /** Of a result, error or timer: the step that it ended, and where that is in the program. */
  readonly call: string | null;
  readonly node: string | null;
  /** Of a signal. */
  readonly name: string | null;
  /** Of the result or the error of an action: its name. */
  readonly action: string | null;
  /** When the try began that it came from. */
  readonly startedAt: Date | null;
  readonly at: Date;
  /** The run was rolled back to before it. */
  readonly superseded: boolean;
}

/** In their order; of a fork, only its own. */
export async function readInputs(sources: Sources, id: string): Promise<RunInput[]> {
  await findWithProgram(sources, id);
  return inputsOf(sources.client, id, await loadInputs(sources.client, id));
}

/** Rows of a run, as they are shown. */
export async function inputsOf(client: Queryable, id: string, rows: readonly InputRow[]): Promise<RunInput[]> {
  const current = new Lineage(await loadRollbacks(client, id), NUMBER_MAX);
  return rows.map(({ at, startedAt, ...row }) => ({
    ...row,
    startedAt: startedAt === null ? null : new Date(startedAt),
    at: new Date(at),
    superseded: !current.has(row.number),
  }));
}
