import { inspect } from "node:util";
import { type Logger, pino } from "pino";
import type { Output } from "./output.ts";

/** What a process that stays has to say: lines for people, or one JSON object each. */
export interface Log {
  /** `facts` are for programs; people read the text. */
  info(text: string, facts?: object): void;
  warn(text: string, error?: unknown): void;
}

export function openLog(json: boolean, output: Output): Log {
  return json ? new JsonLog(output) : new TextLog(output);
}

class TextLog implements Log {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  info(text: string): void {
    this.#output.line(text);
  }

  warn(text: string, error?: unknown): void {
    const reason = error instanceof Error ? error.message : inspect(error);
    this.#output.line(this.#output.paint("yellow", error === undefined ? text : `${text}: ${reason}`));
  }
}

/** In the format of `pino`, which what collects logs understands. */
class JsonLog implements Log {
  readonly #pino: Logger;

  constructor(output: Output) {
    this.#pino = pino({ timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => output.line(line.trimEnd()) });
  }

  info(text: string, facts: object = {}): void {
    this.#pino.info(facts, text);
  }

  warn(text: string, error?: unknown): void {
    this.#pino.warn(error === undefined ? {} : { err: error }, text);
  }
}
