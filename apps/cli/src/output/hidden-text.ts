import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CannotRun } from "../cannot-run.ts";

/** Of what may come through a pipe. */
const BYTES_MAX = 1024 * 1024;
/** What is pasted comes at once; nobody types so soon. */
const PASTED_MS = 150;

/**
 * A text that nobody may see: of the standard input, or typed without being shown. Never of an argument, which `ps` shows. Either it is what was
 * given, or it is refused. `again`: the command for which it is.
 */
export async function hiddenText(
  question: string,
  again: string,
  input: NodeJS.ReadStream = process.stdin,
): Promise<string> {
  return input.isTTY ? typed(question, again, input) : piped(again, input);
}

async function typed(question: string, again: string, input: NodeJS.ReadStream): Promise<string> {
  process.stderr.write(question);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silence, terminal: true });
  try {
    const given = await linesAtOnce(lines);
    if (given.slice(1).some((line) => line !== "")) {
      throw new CannotRun(`a secret of several lines cannot be typed, and nothing was set: ${again} < FILE`);
    }
    return given[0] ?? "";
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** The first line, and what comes with it, until nothing more does: what is left would be commands for the shell. */
function linesAtOnce(lines: ReturnType<typeof createInterface>): Promise<string[]> {
  return new Promise((resolve) => {
    const given: string[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const end = (): void => resolve([...given, lines.line]);
    lines.on("line", (line) => {
      given.push(line);
      clearTimeout(quiet);
      quiet = setTimeout(end, PASTED_MS);
    });
    lines.on("close", () => {
      clearTimeout(quiet);
      resolve(given);
    });
  });
}

/** The last line break is that of whoever wrote it: `echo` and editors add one. */
async function piped(again: string, input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Buffer);
    bytes += part.length;
    if (bytes > BYTES_MAX) throw new CannotRun("what comes from the standard input is too long for a secret");
    chunks.push(part);
  }
  return textOf(Buffer.concat(chunks), again).replace(/\r?\n$/, "");
}

function textOf(bytes: Buffer, again: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CannotRun(
      `what comes from the standard input is no text in UTF-8, and a secret is one: base64 -w0 FILE | ${again}, and decode it where it is used`,
    );
  }
}
