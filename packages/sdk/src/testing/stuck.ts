import type { LocalRun, OpenStep } from "./local-run.ts";
import { stepsOf } from "./schedule.ts";

/** The run can only wait, for something that will not come. */
export class Stuck extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "Stuck", configurable: true, writable: true });
  }
}

/** Of a run that nothing can happen in any more: what it waits for. */
export function stuckIn(main: LocalRun): Stuck {
  const waits = Array.from(stepsOf([main]), waitsFor).filter((text) => text !== null);
  return new Stuck(
    `The run can only wait ${waits.length === 0 ? "for a promise that nothing settles" : waits.join(" and ")}`,
  );
}

function waitsFor(step: OpenStep): string | null {
  const { node } = step.record.step;
  switch (step.kind) {
    case "wait":
      return `for the signal "${step.effect.signal}" (${node})`;
    case "call":
      return step.held
        ? `until the test completes "${step.effect.action}" (${node})`
        : `for the action "${step.effect.action}", which never ends and has no timeout (${node})`;
    default:
      return null;
  }
}
