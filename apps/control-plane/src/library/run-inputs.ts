import { Lineage } from "../runloop/lineage.ts";
import { loadInputs, loadRollbacks } from "../store/load-checkpoint.ts";
import { type HistoryKind, NUMBER_MAX } from "../store/load-runs.ts";
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
  readonly at: Date;
  /** The run was rolled back to before it. */
  readonly superseded: boolean;
}

/** In their order; of a fork, only its own. */
export async function readInputs(sources: Sources, id: string): Promise<RunInput[]> {
  await findWithProgram(sources, id);
  const { client } = sources;
  const [inputs, rollbacks] = await Promise.all([loadInputs(client, id), loadRollbacks(client, id)]);
  const current = new Lineage(rollbacks, NUMBER_MAX);
  return inputs.map(({ at, ...input }) => ({ ...input, at: new Date(at), superseded: !current.has(input.number) }));
}
