import { relative } from "node:path";
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

interface Stream {
  write(text: string, written?: () => void): boolean;
  readonly isTTY?: boolean;
}

/** Control characters but tabs and ends of lines, and colours before them, which stay. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /(\u001B\[[\d;]*m)|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
const PICTURES_BEGIN = 0x2400;
const DELETE = 0x7f;

/** Where the command writes: lines for people, or data. Colours only on a terminal, of each of the two outputs. */
export class Output {
  readonly #write: Stream["write"];
  readonly #stderr: Stream;
  readonly #isTerminal: boolean;
  #hasStatus = false;

  constructor(stdout: Stream, stderr: Stream) {
    this.#write = stdout.write.bind(stdout);
    this.#stderr = stderr;
    this.#isTerminal = stdout.isTTY === true;
  }

  get isTerminal(): boolean {
    return this.#isTerminal;
  }

  line(text = ""): void {
    this.status("");
    this.#write(`${this.#isTerminal ? harmless(text) : text}\n`);
  }

  /** Resolves when all that was written is out. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#write("", resolve);
    });
  }

  /** One line on what is wrong. */
  problem(message: string): void {
    this.#beside("red", message);
  }

  /** One line on what happens, beside the output. */
  note(message: string): void {
    this.#beside("dim", message);
  }

  #beside(style: Style, message: string): void {
    this.status("");
    const isTerminal = this.#stderr.isTTY === true;
    const name = isColoured(isTerminal) ? styled(style, "cairn:") : "cairn:";
    this.#stderr.write(`${name} ${isTerminal ? harmless(message) : message}\n`);
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
    return isColoured(this.#isTerminal) ? styled(style, text) : text;
  }

  /** What users' code prints goes elsewhere from now on: the output is data. */
  static divertStdout(): void {
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }
}

/** Whether there is a terminal was looked at: some releases of Node.js look again, at the standard output. */
function styled(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

function isColoured(isTerminal: boolean): boolean {
  const { NO_COLOR = "", FORCE_COLOR = "" } = process.env;
  return NO_COLOR === "" && (isTerminal || !["", "0", "false"].includes(FORCE_COLOR));
}

/** Errors, names and values are other people's: a terminal must not do what is in them. */
function harmless(text: string): string {
  return text.replaceAll(CONTROLS, (control: string, colour: string | undefined) => {
    if (colour !== undefined) return colour;
    const code = control.charCodeAt(0);
    return code < DELETE ? String.fromCharCode(PICTURES_BEGIN + code) : "\uFFFD";
  });
}

export function shortPath(path: string): string {
  return relative(process.cwd(), path);
}
