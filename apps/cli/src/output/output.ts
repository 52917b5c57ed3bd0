import { relative } from "node:path";
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

interface Stream {
  write(text: string, written?: () => void): boolean;
  readonly isTTY?: boolean;
}

/** Where the command writes: lines for people, or data. Colours only on a terminal. */
export class Output {
  readonly #write: Stream["write"];
  readonly #stderr: Stream;
  readonly #isColoured: boolean;
  readonly #isTerminal: boolean;
  #hasStatus = false;

  constructor(stdout: Stream, stderr: Stream) {
    this.#write = stdout.write.bind(stdout);
    this.#stderr = stderr;
    this.#isTerminal = stdout.isTTY === true;
    const { NO_COLOR = "", FORCE_COLOR = "" } = process.env;
    this.#isColoured = NO_COLOR === "" && (stdout.isTTY === true || !["", "0", "false"].includes(FORCE_COLOR));
  }

  get isTerminal(): boolean {
    return this.#isTerminal;
  }

  line(text = ""): void {
    this.status("");
    this.#write(`${text}\n`);
  }

  /** Resolves when all that was written is out. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#write("", resolve);
    });
  }

  /** One line on what is wrong. */
  problem(message: string): void {
    this.status("");
    this.#stderr.write(`${this.paint("red", "cairn:")} ${message}\n`);
  }

  /** One line on what happens, beside the output. */
  note(message: string): void {
    this.status("");
    this.#stderr.write(`${this.paint("dim", "cairn:")} ${message}\n`);
  }

  /** How far the work is, in one line that the next one replaces; for people who watch. */
  status(text: string): void {
    if (this.#stderr.isTTY !== true || (text === "" && !this.#hasStatus)) return;
    this.#stderr.write(`\r\u001B[K${text}`);
    this.#hasStatus = text !== "";
  }

  /** Empties a terminal, also of what was scrolled away. */
  clear(): void {
    if (this.#isTerminal) this.#write("\u001B[2J\u001B[3J\u001B[H");
  }

  paint(style: Style, text: string): string {
    return this.#isColoured ? styleText(style, text) : text;
  }

  /** What users' code prints goes elsewhere from now on: the output is data. */
  static divertStdout(): void {
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }
}

export function shortPath(path: string): string {
  return relative(process.cwd(), path);
}
