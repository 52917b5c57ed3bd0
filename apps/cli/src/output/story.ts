import {
  callText,
  elapsed,
  type EncodedReport,
  type EncodedStep,
  errorTitle,
  eventText,
  type LogLine,
  logText,
  type RunEvent,
  type RunObserver,
  SLEEP,
  valueText,
} from "cairnjs/testing/internal";
import { type Output, shortPath } from "./output.ts";

function placeText({ file, line, column }: EncodedReport["trace"][number]): string {
  if (file === "" || line === 0) return file === "" ? "?" : shortPath(file);
  return `${shortPath(file)}:${line}:${column}`;
}

/** Tells people what a run does, as it happens. */
export class Story implements RunObserver {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  begin(file: string, workflow: string, version: string): void {
    this.#output.line(
      `${this.#output.paint("bold", workflow)}  ${this.#output.paint("dim", `${file}, version ${version}`)}`,
    );
  }

  stepEnded(step: EncodedStep, depth: number): void {
    const { node, error, result, compensation } = step;
    const mark = error === undefined ? this.#output.paint("green", "✓") : this.#output.paint("red", "✗");
    const call = `${compensation ? "undo " : ""}${callText(step)}`;
    const outcome = error === undefined ? valueText(result ?? "") : errorTitle(error);
    const arrow = step.action === SLEEP ? "" : ` ${this.#output.paint("dim", "→")} ${outcome}`;
    this.#line(depth, `${mark} ${this.#output.paint("cyan", node)}  ${call}${arrow}`);
  }

  logged(line: LogLine, depth: number): void {
    this.#line(depth, this.#output.paint("dim", `· ${logText(line)}`));
  }

  happened(event: RunEvent, depth: number): void {
    this.#line(depth, this.#output.paint("dim", `· ${eventText(event)}`));
  }

  timeAdvanced(from: number, to: number): void {
    this.#line(0, this.#output.paint("dim", `… ${elapsed(to - from)} later`));
  }

  end(report: EncodedReport): void {
    if (report.result !== undefined) {
      this.#line(0, `${this.#output.paint(["bold", "green"], "result")} ${report.result}`);
    } else if (report.error !== undefined) {
      this.#line(0, `${this.#output.paint(["bold", "red"], "error")} ${errorTitle(report.error)}`);
      for (const line of report.trace) {
        const name = line.function === "" ? "the body" : line.function;
        this.#line(1, this.#output.paint("dim", `at ${name} (${placeText(line)})`));
      }
    }
    this.#output.line();
  }

  #line(depth: number, text: string): void {
    this.#output.line(`${"  ".repeat(depth + 1)}${text}`);
  }
}
