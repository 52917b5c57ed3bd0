import { inspect } from "node:util";
import { isLogged, jsonLogger, type Logger, type LogSettings } from "@cairnjs/worker";
import type { Output } from "./output.ts";

/** What a process that stays has to say: lines for people, or one JSON object each. */
export interface Log {
  /** `facts` are for programs; people read the text. */
  info(text: string, facts?: object): void;
  warn(text: string, error?: unknown, facts?: object): void;
}

/** `json`: whatever the settings say, the output is data. */
export function openLog(json: boolean, settings: LogSettings, output: Output): Log {
  const isJson = json || settings.format === "json" || (settings.format === null && !output.isTerminal);
  return isJson ? new JsonLog(settings, output) : new TextLog(settings, output);
}

class TextLog implements Log {
  readonly #settings: LogSettings;
  readonly #output: Output;

  constructor(settings: LogSettings, output: Output) {
    this.#settings = settings;
    this.#output = output;
  }

  info(text: string): void {
    if (isLogged("info", this.#settings)) this.#output.line(text);
  }

  warn(text: string, error?: unknown): void {
    if (!isLogged("warn", this.#settings)) return;
    const reason = error instanceof Error ? error.message : inspect(error);
    this.#output.line(this.#output.paint("yellow", error === undefined ? text : `${text}: ${reason}`));
  }
}

class JsonLog implements Log {
  readonly #logger: Logger;

  constructor(settings: LogSettings, output: Output) {
    this.#logger = jsonLogger(settings, (line) => output.line(line.trimEnd()));
  }

  info(text: string, facts: object = {}): void {
    this.#logger.info(facts, text);
  }

  warn(text: string, error?: unknown, facts: object = {}): void {
    this.#logger.warn(error === undefined ? facts : { ...facts, err: error }, text);
  }
}
