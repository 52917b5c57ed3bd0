import type { RollbackOptions } from "cairnjs/client";
import { Lineage } from "../runloop/lineage.ts";
import type { RollbackOrder } from "../runloop/turning.ts";
import { loadRollbacks, newestNumber } from "../store/load-checkpoint.ts";
import { NUMBER_MAX } from "../store/load-runs.ts";
import { EngineError } from "./engine-error.ts";
import { rebuild, type Sources, walk } from "./rebuilding.ts";
import { checkBoolean, checkInteger, checkNames } from "./start-options.ts";

const KNOWN = new Set(["compensate", "keepChance", "despiteCompensations"]);

/** Everything that can be wrong with a rollback is found before anything is written. */
export async function checkedRollback(
  sources: Sources,
  id: string,
  to: number,
  options: RollbackOptions,
): Promise<RollbackOrder> {
  checkNames("A rollback", options, KNOWN);
  for (const [name, value] of Object.entries(options)) checkBoolean(name, value);
  const { compensate = false, keepChance = false, despiteCompensations = false } = options;
  const checkedAt = await newestNumber(sources.client, id);
  const { origin } = await checkState(sources, id, to);
  if (origin !== id) {
    throw new EngineError(
      "Superseded",
      `The run ${id} is a fork of ${origin}, and had no states of its own before: roll that one back, or fork it`,
    );
  }
  const current = new Lineage(await loadRollbacks(sources.client, id), NUMBER_MAX);
  if (!current.has(to)) {
    throw new EngineError(
      "Superseded",
      `The run ${id} was rolled back to before input ${to}: it cannot return there, but it can be forked there`,
    );
  }
  // Whoever holds it then must be able to load it.
  await rebuild(sources, id, NUMBER_MAX);
  if (!despiteCompensations && (await undoneSince(sources, id, to, current))) {
    throw new EngineError(
      "CompensationsRan",
      `Compensations have undone what the run ${id} had done before input ${to}: go further back, or pass despiteCompensations`,
    );
  }
  return { to, compensate, keepChance, despiteCompensations, checkedAt };
}

/** Whether a run can go on from this state, and whose it is: a fork has those of its original. */
export async function checkState(
  sources: Sources,
  id: string,
  number: number,
): Promise<{ readonly origin: string; readonly phase: "running" | "compensating" }> {
  checkInteger("The number of inputs", number, 1, NUMBER_MAX);
  const { machine, origin } = await rebuild(sources, id, number);
  if (machine.inputNumber !== number) {
    throw new EngineError("NotFound", `The run ${id} has taken ${machine.inputNumber} inputs, not ${number}`);
  }
  if (machine.phase !== "running" && machine.phase !== "compensating") {
    throw new EngineError(
      "WrongStatus",
      `After input ${number} the run ${id} was over: there is nothing to go on with`,
    );
  }
  if (machine.outcome?.status === "undone") {
    throw new EngineError(
      "WrongStatus",
      `After input ${number} the run ${id} was being undone: choose a state before that`,
    );
  }
  return { origin, phase: machine.phase };
}

/** Whether more was undone after an input than was registered after it. */
async function undoneSince(sources: Sources, id: string, number: number, current: Lineage): Promise<boolean> {
  let registered = 0;
  let undone = false;
  await walk(
    sources,
    id,
    {
      taken: (row, effects) => {
        if (row.number <= number || !current.has(row.number)) return;
        for (const effect of effects) {
          if (effect.kind === "compensation") registered += 1;
          if (effect.kind !== "call" || !effect.compensation) continue;
          undone ||= registered === 0;
          registered = Math.max(0, registered - 1);
        }
      },
      inherited: () => {},
    },
    number,
  );
  return undone;
}
