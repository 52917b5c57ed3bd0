import type { LocalRun } from "./local-run.ts";
import { UNDEFINED } from "./records.ts";
import { type EncodedStep, type LogLine, type RunEvent, type RunObserver, SLEEP } from "./report.ts";
import { stepsOf } from "./schedule.ts";
import { callText, elapsed, errorTitle, eventText, logText } from "./telling.ts";
import { valueText } from "./value-text.ts";

/** The oldest lines of a very long story are left out. */
const LINES_MAX = 1000;

/** Writes down what a run and its children do, as it happens. */
export class Storyteller implements RunObserver {
  readonly #lines: string[] = [];
  #leftOut = 0;

  stepEnded(step: EncodedStep, depth: number): void {
    const { node, error, result, compensation, action } = step;
    const outcome = error === undefined ? valueText(result ?? "") : errorTitle(error);
    const arrow = action === SLEEP || result === UNDEFINED ? "" : ` → ${outcome}`;
    this.#line(
      depth,
      `${error === undefined ? "✓" : "✗"} ${node}  ${compensation ? "undo " : ""}${callText(step)}${arrow}`,
    );
  }

  tryFailed({ node }: EncodedStep, depth: number, error: string, againMs: number): void {
    this.#line(depth, `↻ ${node}  ${errorTitle(error)}, again in ${elapsed(againMs)}`);
  }

  logged(line: LogLine, depth: number): void {
    this.#line(depth, `· ${logText(line)}`);
  }

  happened(event: RunEvent, depth: number): void {
    this.#line(depth, `· ${eventText(event)}`);
  }

  timeAdvanced(from: number, to: number): void {
    this.#line(0, `… ${elapsed(to - from)} later`);
  }

  /** Of all that happened; it begins and ends with the run that is asked for. */
  story(run: LocalRun): string {
    const { program, input, ended } = run;
    const lines = [`${program.name}(${input === UNDEFINED ? "" : valueText(input)})`];
    if (this.#leftOut > 0) lines.push(`  … ${this.#leftOut} lines before these are left out`);
    lines.push(...this.#lines);
    for (const { record } of stepsOf([run])) lines.push(`  ? ${record.step.node}  ${callText(record.step)} is open`);
    if (ended !== null) {
      const value = ended.status === "succeeded" ? valueText(ended.value) : errorTitle(ended.value);
      lines.push(`  = ${ended.status}: ${value}`);
    }
    return lines.join("\n");
  }

  #line(depth: number, text: string): void {
    this.#lines.push(`${"  ".repeat(depth + 1)}${text}`);
    if (this.#lines.length <= LINES_MAX) return;
    this.#lines.shift();
    this.#leftOut += 1;
  }
}
