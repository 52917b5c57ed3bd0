import { positionAt } from "@cairnjs/compiler";
import { decodeNative } from "@cairnjs/ir";
import {
  type EncodedReport,
  type EncodedStep,
  type LogLine,
  type RunEvent,
  type RunObserver,
  SLEEP,
} from "cairnjs/testing";
import { type Output, shortPath } from "./output.ts";

/** Longer values are cut; `--json` has them whole. */
const VALUE_LENGTH_MAX = 70;

/** Tells people what a run does, as it happens. */
export class Story implements RunObserver {
  readonly #output: Output;
  readonly #sourceOf: (file: string) => string;

  constructor(output: Output, sourceOf: (file: string) => string) {
    this.#output = output;
    this.#sourceOf = sourceOf;
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
    const outcome = error === undefined ? shortened(result ?? "") : errorTitle(error);
    const arrow = step.action === SLEEP ? "" : ` ${this.#output.paint("dim", "→")} ${outcome}`;
    this.#line(depth, `${mark} ${this.#output.paint("cyan", node)}  ${call}${arrow}`);
  }

  logged({ level, args }: LogLine, depth: number): void {
    this.#line(depth, this.#output.paint("dim", `· ${level} ${shortened(inside(args))}`));
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
      for (const { function: name, file, offset } of report.trace) {
        this.#line(
          1,
          this.#output.paint("dim", `at ${name === "" ? "the body" : name} (${this.#place(file, offset)})`),
        );
      }
    }
    this.#output.line();
  }

  #place(file: string, offset: number): string {
    if (file === "" || offset < 0) return file === "" ? "?" : shortPath(file);
    const { line, column } = positionAt(this.#sourceOf(file), offset);
    return `${shortPath(file)}:${line}:${column}`;
  }

  #line(depth: number, text: string): void {
    this.#output.line(`${"  ".repeat(depth + 1)}${text}`);
  }
}

function callText({ action, args }: EncodedStep): string {
  if (action !== SLEEP) return `${action}(${shortened(inside(args))})`;
  const [until] = decodeNative(args) as [Date];
  return `${action}(until ${until.toISOString()})`;
}

function eventText(event: RunEvent): string {
  switch (event.kind) {
    case "progress":
      return `progress ${shortened(event.value)}`;
    case "emit":
      return `emit ${event.type} ${shortened(event.data)}`;
    case "compensation":
      return `to undo: ${event.action}(${shortened(inside(event.args))})`;
    case "compensationFailed":
      return `could not undo ${event.node}: ${errorTitle(event.error)}`;
    case "abandoned":
      return `abandoned ${event.node}`;
    case "detachedFailed":
      return `${event.workflow} ${event.id} failed: ${errorTitle(event.error)}`;
    case "warning":
      return event.code === "UnhandledRejection"
        ? `nobody handled the rejection ${errorTitle(event.detail)}`
        : `${event.detail} was still waiting`;
  }
}

/** `PaymentError: declined`, or the value if something else was thrown. */
function errorTitle(text: string): string {
  const value = decodeNative(text);
  if (!(value instanceof Error)) return shortened(text);
  return value.message === "" ? value.name : `${value.name}: ${value.message}`;
}

/** Elements of an encoded array. */
function inside(array: string): string {
  return array.startsWith("[") ? array.slice(1, -1) : array;
}

function shortened(text: string): string {
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX - 1)}…`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["ms", 1],
];

/** In the largest two units that say it. */
function elapsed(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const [name, unit] of UNITS) {
    const count = Math.floor(left / unit);
    left -= count * unit;
    if (count > 0) parts.push(`${count} ${name}${count === 1 || name === "ms" ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ");
}
